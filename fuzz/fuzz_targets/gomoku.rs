#![no_main]
parlor_fuzz::fuzzes!("gomoku");
