//! Why gomoku says no.

use crate::renju::Foul;

parlor_rules::rejects! {
    /// Every refusal of the game, in order of precedence, with its facts beside the text.
    pub enum Reject {
        /// Options that do not go together, or are out of range.
        BadConfig { why: String } => "bad_config", "config: {why}";
        /// The house may not say this here.
        NotHere => "not_here", "gomoku is played by its two seats from beginning to end";
        /// Not what this phase asks for.
        InvalidPhase { phase: &'static str, expected: &'static str, active: Option<String> } =>
            "invalid_phase", "this is not for phase {phase}, which asks for {expected}",
            {"phase": phase, "expected": expected, "activePlayerId": active};
        /// Somebody else is asked.
        WrongPlayer { active: String, phase: &'static str } =>
            "wrong_player", "not your turn: player {active} is to act",
            {"activePlayerId": active, "phase": phase};
        /// A point that is on no board.
        OutOfBounds { last: u8, phase: &'static str } =>
            "out_of_bounds", "x and y are whole numbers from 0 to {last}",
            {"reason": "out of bounds", "phase": phase};
        /// A point with a stone on it.
        PositionOccupied { x: u8, y: u8, at: String, phase: &'static str } =>
            "position_occupied", "a stone lies on {at} already; choose a free point",
            {"reason": "occupied", "x": x, "y": y, "phase": phase};
        /// A point forbidden to black under renju.
        ForbiddenPoint { x: u8, y: u8, at: String, foul: Foul, made: &'static str } =>
            "forbidden_point", "black may not play {at}: it makes {made}",
            {"reason": foul, "x": x, "y": y};
        /// A choice that is not offered.
        InvalidChoice { choice: String, options: Vec<&'static str>, listed: String, phase: &'static str } =>
            "invalid_choice", "{choice:?} is no choice here; choose {listed}",
            {"validOptions": options, "phase": phase};
        /// There is nothing to answer.
        NoOffer { kind: &'static str } => "no_offer", "no {kind} is offered";
        /// An offer is open, or was made since the last stone.
        AlreadyOffered => "already_offered", "make another offer after the next stone";
        /// The seat has laid no stone in the game itself.
        NothingToTakeBack => "nothing_to_take_back",
            "you have laid no stone since the opening that could be taken back";
    }
}
