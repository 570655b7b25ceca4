//! Why the battle says no.

parlor_rules::rejects! {
    /// Every refusal of the game, in order of precedence.
    pub enum Reject {
        /// Options out of range.
        BadConfig { why: String } => "bad_config", "config: {why}";
        /// The match is over.
        MatchOver => "match_over", "the match is over; join a new one";
        /// The house may not say this here.
        NotHere => "not_here", "a battle is fought by its two seats from beginning to end";
        /// The match has not begun.
        NotBegun => "not_begun", "the match has not begun; wait for prep_start";
        /// It has begun already.
        Begun => "already_begun", "the match has begun already";
        /// The cards are being shown.
        NotInPrep => "not_in_prep",
            "cards can be laid only in PREP; wait for the next prep_start";
        /// The layout is confirmed.
        AlreadyConfirmed => "already_confirmed",
            "your layout of this round is confirmed; lay your next one after prep_start";
        /// The seat's own clock has run out.
        TimeIsUp => "time_is_up",
            "your time for this round is up; lay your next layout after prep_start";
    }
}

parlor_rules::rejects! {
    /// What is told to a sender whose message was heard, though not all of it could be done.
    pub enum Mistake {
        /// A confirm that was refused.
        InvalidConfirm { slot: u8 } => "invalid_card",
            "slot {slot} asks for a card that is not left in your hand; nothing is confirmed, \
             confirm again with cards of your hand or null";
        /// A draft of which something was left out.
        InvalidDraft => "invalid_card",
            "slots that ask for a card that is not left in your hand stay empty; lay cards of \
             your hand or null";
    }
}
