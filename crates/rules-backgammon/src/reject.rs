//! Why backgammon says no.

parlor_rules::rejects! {
    /// Every refusal of the game, in order of precedence. The texts with a capital are a contract.
    pub enum Reject {
        /// Options that do not go together, or are out of range.
        BadConfig { why: String } => "bad_config", "config: {why}";
        /// The command names another seat than the one that sent it.
        ForeignSeat => "foreign_seat", "the command names a seat that is not the sender's";
        /// A step with neither a start nor an end.
        Nowhere => "nowhere", "a step needs a point it leaves or a point it reaches";
        /// The house may not say this here.
        NotHere => "not_here", "backgammon is played by its two seats from beginning to end";
        /// Not now.
        Status => "wrong_status", "Command not allowed in current status";
        /// Somebody else is asked.
        Turn => "not_your_turn", "Not your turn";
        /// The other seat owns the cube.
        Control => "no_cube_control", "You do not control the cube";
        /// The cube is at its highest.
        Cap => "cube_at_cap", "Cannot double at stakes of 64 or higher";
        /// In a match, when the stakes already win it.
        DeadCube => "cube_is_dead",
            "the cube is dead: at these stakes a win already wins you the match";
        /// A die that was not rolled or is already used.
        NoSuchDie { die: u8 } => "no_such_die", "there is no {die} left to play";
        /// A step the board or the obligation to use the dice forbids.
        IllegalStep { die: u8 } => "illegal_step",
            "no maximal play of this roll goes on with this step of {die}";
        /// Dice are left that can be played.
        Unfinished => "unfinished_turn", "you must use as many dice as you can before you commit";
        /// No step to take back.
        NothingPlayed => "nothing_to_undo", "there is no uncommitted step to take back";
    }
}
