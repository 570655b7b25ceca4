// Generated from the wire crate: `make types`.

export type Access = "open" | "private" | "ranked";

export type Change = { 
/**
 * The rules it was played under.
 */
set: string, 
/**
 * Before.
 */
before: number, 
/**
 * After.
 */
after: number, };

export type Clock = { 
/**
 * Whose.
 */
seat: number, 
/**
 * What is left in reserve.
 */
reserve_ms: number, 
/**
 * When its time is up; none if none runs.
 */
until_ms: number | null, };

export type Counted = { 
/**
 * The key of its game.
 */
game: string, 
/**
 * When it ended, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * What it did to the rating.
 */
rating: Change, };

export type Ended = "won" | "lost" | "drawn" | "void";

export type Game = { 
/**
 * Its key.
 */
game: string, 
/**
 * The edition of its rules.
 */
edition: number, 
/**
 * The least and the most seats.
 */
seats: [number, number], 
/**
 * Whether people join and leave while it goes on.
 */
comes_and_goes: boolean, 
/**
 * What it is played for.
 */
unit: "chips" | "tokens", 
/**
 * Whether the house plays it.
 */
house: boolean, 
/**
 * Every code its rules may refuse with.
 */
codes: Array<string>, 
/**
 * Its usual options.
 */
config: Record<string, unknown>, 
/**
 * The files its tables have.
 */
files: Array<string>, 
/**
 * The documents its tables have.
 */
documents: Array<string>, };

export type Language = "en" | "ru" | "vi";

export type Leader = { 
/**
 * The name.
 */
name: string, 
/**
 * The key of the game.
 */
game: string, 
/**
 * The rules it was won under.
 */
set: string, 
/**
 * The rating itself.
 */
rating: number, 
/**
 * How far off it may be; none where the scale knows of none.
 */
deviation?: number, 
/**
 * Whether it is still a guess.
 */
provisional: boolean, 
/**
 * How many games it rests on.
 */
games: number, };

export type Level = "easy" | "medium" | "hard";

export type Listed = { 
/**
 * Its name.
 */
table: string, 
/**
 * The key of its game.
 */
game: string, 
/**
 * The options of the game, in full.
 */
config: Record<string, unknown>, 
/**
 * Who finds it.
 */
access: Access, 
/**
 * The chairs.
 */
chairs: Array<Sitting>, 
/**
 * How many watch.
 */
watchers: number, 
/**
 * Whether the game is over.
 */
over: boolean, };

export type Me = { 
/**
 * The number of the account.
 */
account: number, 
/**
 * Its name.
 */
name: string, 
/**
 * Whether it has no password.
 */
guest: boolean, 
/**
 * The language.
 */
language: Language, 
/**
 * Play chips.
 */
chips: number, 
/**
 * Tokens.
 */
tokens: number, 
/**
 * The ratings.
 */
ratings: Array<Rated>, };

export type Offer = "rematch";

export type Played = { 
/**
 * Its name.
 */
table: string, 
/**
 * The key of its game.
 */
game: string, 
/**
 * When it ended, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * The own chair.
 */
seat: number, 
/**
 * The names on the chairs.
 */
names: Array<string>, 
/**
 * How it ended for oneself.
 */
result: Ended, 
/**
 * What it did to the own rating; none if it did not count.
 */
rating?: Change | null, };

export type Player = { 
/**
 * The name.
 */
name: string, 
/**
 * The ratings.
 */
ratings: Array<Rated>, 
/**
 * How they came about, the newest first.
 */
course: Array<Counted>, };

export type Rated = { 
/**
 * The key of the game.
 */
game: string, 
/**
 * The rules it was won under.
 */
set: string, 
/**
 * The rating itself.
 */
rating: number, 
/**
 * How far off it may be; none where the scale knows of none.
 */
deviation?: number, 
/**
 * Whether it is still a guess.
 */
provisional: boolean, 
/**
 * How many games it rests on.
 */
games: number, };

export type Replay = { 
/**
 * Its name.
 */
table: string, 
/**
 * The key of its game.
 */
game: string, 
/**
 * The options of the game, in full.
 */
config: Record<string, unknown>, 
/**
 * Whether the game is over.
 */
over: boolean, 
/**
 * The number of the first of these scenes, from 0.
 */
from: number, 
/**
 * How many scenes there are so far.
 */
count: number, 
/**
 * The scenes, in order.
 */
scenes: Array<Scene>, };

export type Request = { id: string } & Say;

export type Say = { "type": "hello", 
/**
 * [`VERSION`].
 */
version: number, 
/**
 * What an earlier `welcome` gave.
 */
token?: string | null, 
/**
 * The name of a new guest.
 */
name?: string | null, 
/**
 * The language of a new guest.
 */
language?: Language | null, 
/**
 * Whether every update shows the whole; usually so.
 */
views?: boolean | null, } | { "type": "account", 
/**
 * The language.
 */
language?: Language | null, } | { "type": "claim", 
/**
 * The password.
 */
password: string, } | { "type": "login", 
/**
 * [`VERSION`].
 */
version: number, 
/**
 * The account's name.
 */
name: string, 
/**
 * Its password.
 */
password: string, 
/**
 * As with `hello`.
 */
views?: boolean | null, } | { "type": "logout", } | { "type": "lobby", 
/**
 * Whether to be told of changes.
 */
watch?: boolean, } | { "type": "create", 
/**
 * The key of its game.
 */
game: string, 
/**
 * How many seats; as many as the game needs if it is not said.
 */
seats?: number | null, 
/**
 * The options of the game.
 */
config?: Record<string, unknown>, 
/**
 * The options of the table.
 */
options?: Record<string, unknown>, 
/**
 * Who finds it.
 */
access?: Access, } | { "type": "sit", 
/**
 * The table.
 */
table: string, 
/**
 * The chair, from 0; any if it is not said.
 */
seat?: number | null, 
/**
 * What is brought along, where people bring chips.
 */
chips?: number | null, 
/**
 * The key of a private table.
 */
key?: string | null, 
/**
 * The end of the hash chain from which one will add to chance, as 64 hex digits.
 */
tip?: string | null, } | { "type": "top_up", 
/**
 * The table.
 */
table: string, 
/**
 * How many.
 */
chips: number, } | { "type": "house", 
/**
 * The table.
 */
table: string, 
/**
 * How well it is to play.
 */
level: Level, 
/**
 * The chair; any if it is not said.
 */
seat?: number | null, 
/**
 * What it brings along, where people bring chips.
 */
chips?: number | null, } | { "type": "watch", 
/**
 * The table.
 */
table: string, 
/**
 * The key of a private table.
 */
key?: string | null, 
/**
 * The epoch of the last update seen.
 */
epoch?: number | null, 
/**
 * Its number.
 */
seq?: number | null, } | { "type": "play", 
/**
 * The table.
 */
table: string, 
/**
 * The number of the question it answers, where it answers one.
 */
ask?: number | null, 
/**
 * A command of the game.
 */
command: unknown, 
/**
 * What it adds to the dice: the next link of the own hash chain, as 64 hex digits.
 */
link?: string | null, } | { "type": "release", 
/**
 * The table.
 */
table: string, 
/**
 * The next link of the own hash chain, as 64 hex digits.
 */
link: string, } | { "type": "proof", 
/**
 * The table.
 */
table: string, } | { "type": "offer", 
/**
 * The table.
 */
table: string, 
/**
 * What.
 */
what: Offer, } | { "type": "answer", 
/**
 * The table.
 */
table: string, 
/**
 * What.
 */
what: Offer, 
/**
 * Yes or no.
 */
accept: boolean, } | { "type": "leave", 
/**
 * The table.
 */
table: string, } | { "type": "chat", 
/**
 * The table.
 */
table: string, 
/**
 * What, at most 200 characters.
 */
text: string, } | { "type": "queue", 
/**
 * The key of the game.
 */
game: string, 
/**
 * Its options; only those who want the same meet.
 */
config?: Record<string, unknown>, 
/**
 * Whether it counts for ratings; only those who want the same meet.
 */
ranked?: boolean, 
/**
 * What is brought along, where people bring chips.
 */
chips?: number | null, 
/**
 * After how many seconds the house steps in; never if it is not said.
 */
house_after_s?: number | null, 
/**
 * How well it is to play then.
 */
level: Level, } | { "type": "unqueue", } | { "type": "ping", };

export type Scene = { 
/**
 * When, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * The own chair then; none: watching.
 */
you: number | null, 
/**
 * The chairs then. Everybody counts as being there.
 */
chairs: Array<Sitting>, 
/**
 * What was seen to happen.
 */
sights: unknown[], 
/**
 * All there was to see then.
 */
view: unknown, };

export type Sitting = { "is": "open", } | { "is": "kept", } | { "is": "taken", 
/**
 * The name.
 */
name: string, 
/**
 * Whether the person is there.
 */
here: boolean, } | { "is": "house", 
/**
 * How well it plays.
 */
level: Level, };

export type Tell = { "type": "welcome", 
/**
 * The answer to this.
 */
id: string, 
/**
 * The version of what is said.
 */
version: number, 
/**
 * Who one is.
 */
me: Me, 
/**
 * What to say `hello` with next time, where it is new. It is told once.
 */
token?: string, 
/**
 * The tables one sits at.
 */
tables: Array<string>, 
/**
 * What time it is here, in milliseconds since 1970.
 */
now_ms: number, } | { "type": "account", 
/**
 * The answer to this.
 */
id: string, 
/**
 * Who one is.
 */
me: Me, } | { "type": "done", 
/**
 * The answer to this.
 */
id: string, } | { "type": "refused", 
/**
 * The answer to this; none if the message had none that could be read.
 */
id?: string, 
/**
 * A stable name for programs.
 */
code: string, 
/**
 * A sentence for people.
 */
text: string, 
/**
 * What else a program may want to know.
 */
facts?: Record<string, unknown>, } | { "type": "created", 
/**
 * The answer to this.
 */
id: string, 
/**
 * The table.
 */
table: string, 
/**
 * What lets others in, if it is private.
 */
key?: string, } | { "type": "seated", 
/**
 * The answer to this.
 */
id: string, 
/**
 * The table.
 */
table: string, 
/**
 * The chair, from 0.
 */
seat: number, 
/**
 * What lets another program play on this chair, and do nothing else. It is told once.
 */
token: string, } | { "type": "proof", 
/**
 * The answer to this.
 */
id: string, 
/**
 * The table.
 */
table: string, 
/**
 * What the house has committed to for the dice.
 */
dice: string, 
/**
 * The root of the next deck; none if there are no cards.
 */
root: string | null, 
/**
 * The deck in play, with the cards one may see opened; null before the first.
 */
hand: unknown, } | { "type": "tables", 
/**
 * The answer to this; none if it comes by itself.
 */
id?: string, 
/**
 * They.
 */
tables: Array<Listed>, } | { "type": "table", 
/**
 * The own chair; none for a watcher.
 */
you: number | null, 
/**
 * Its name.
 */
table: string, 
/**
 * The key of its game.
 */
game: string, 
/**
 * The options of the game, in full.
 */
config: Record<string, unknown>, 
/**
 * Who finds it.
 */
access: Access, 
/**
 * The chairs.
 */
chairs: Array<Sitting>, 
/**
 * How many watch.
 */
watchers: number, 
/**
 * Whether the game is over.
 */
over: boolean, } | { "type": "update", 
/**
 * The table.
 */
table: string, 
/**
 * Another number whenever the server has read the table anew: counts of another one say
 * nothing.
 */
epoch: number, 
/**
 * The receiver's own count of updates of this table.
 */
seq: number, 
/**
 * What was seen to happen.
 */
sights: unknown[], 
/**
 * What there is to see. Who has said hello with `views` as false is shown it only where
 * `sights` do not tell how things came to stand so.
 */
view?: unknown, 
/**
 * What one may say; none for a watcher.
 */
legal: unknown, 
/**
 * The number of the question one is asked.
 */
ask: number | null, 
/**
 * The clocks.
 */
clocks: Array<Clock>, 
/**
 * When the table goes on by itself, in milliseconds since 1970.
 */
until_ms: number | null, 
/**
 * Whether all clocks stand still.
 */
paused: boolean, 
/**
 * The root of the next deck, where there are cards.
 */
root?: string, 
/**
 * What time it is here.
 */
now_ms: number, } | { "type": "chat", 
/**
 * The table.
 */
table: string, 
/**
 * Who.
 */
from: string, 
/**
 * What.
 */
text: string, 
/**
 * When, in milliseconds since 1970.
 */
at_ms: number, } | { "type": "matched", 
/**
 * The table.
 */
table: string, 
/**
 * The own chair.
 */
seat: number, 
/**
 * What lets another program play on this chair, and do nothing else. It is told once.
 */
token: string, } | { "type": "offered", 
/**
 * The table.
 */
table: string, 
/**
 * What.
 */
what: Offer, 
/**
 * The chair of who does.
 */
by: number, } | { "type": "declined", 
/**
 * The table.
 */
table: string, 
/**
 * What.
 */
what: Offer, 
/**
 * The chair of who does not.
 */
by: number, } | { "type": "left", 
/**
 * The table.
 */
table: string, 
/**
 * A stable name for programs.
 */
code: string, 
/**
 * A sentence for people.
 */
text: string, } | { "type": "bye", 
/**
 * A stable name for programs.
 */
code: string, 
/**
 * A sentence for people.
 */
text: string, };
