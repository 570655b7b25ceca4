//! Why the referee says no to what was pushed.

use parlor_rules::Faults;

parlor_rules::rejects! {
    /// Every reason, in order of precedence. The rules have their own, which come last.
    pub enum Reject {
        /// A path that is no move of this table.
        NotAMove => "not_a_move",
            "only new files moves/NNNN-white-HASH.json or moves/NNNN-black-HASH.json may be pushed";
        /// A path below `tables` that is no table's.
        NoTable => "no_table", "it belongs to no table";
        /// A link, a folder, a submodule, or an executable.
        NotAFile => "not_a_file", "it is not a plain file";
        /// More than a move can need.
        TooLarge { bytes: u64 } => "too_large",
            "it has {bytes} bytes; a move file has at most 16384";
        /// Text that is no JSON.
        NotJson { why: String } => "not_json", "it is not JSON: {why}";
        /// JSON that is no move.
        Malformed { faults: Faults } => "malformed", "{faults}";
        /// The name says something else than the content.
        LyingName { why: String } => "lying_name", "the file name lies: {why}";
        /// Somebody else than the player.
        WrongActor { actor: String, color: String, player: String } => "wrong_actor",
            "{actor} pushed it, but {color} is {player}";
        /// The push also touches what only the referee writes.
        Meddled => "meddled", "the push also changes files that only the referee writes";
        /// It is over.
        Completed => "completed", "the game is over";
        /// The other one is to move.
        Turn { active: String } => "not_your_turn", "it is {active}'s turn";
        /// Not the next number.
        Sequence { came: u32, due: u32 } => "wrong_sequence",
            "it is number {came}, and the next move is number {due}";
        /// Made for another state.
        Stale { due: String } => "stale",
            "it was made for another state: expectedState is {due} now";
        /// Other dice than those that lie there.
        Dice { came: String, due: String } => "wrong_dice", "diceRoll is {came}, and the dice are {due}";
        /// What the rules of the game say.
        Rules { why: String } => "illegal_move", "{why}";
        /// Dice that were written down and are not those that had to come.
        BadDice { why: String } => "bad_dice", "the dice do not fit: {why}";
        /// Too many at once.
        Flood { count: usize } => "flood", "{count} more files in one push; one is a turn";
    }
}
