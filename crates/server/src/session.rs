//! What one client says, and what it is answered: the same over a WebSocket and over HTTP.

use crate::accounts::{Account, Signed};
use crate::guard::{Bucket, Counted};
use crate::hall::{Opened, Wanted, options_of, refuse};
use crate::line::Line;
use crate::queue::{Sought, Waiting};
use crate::room::{Door, Message, Reply, Spoken};
use crate::{Front, LOBBY, blocking, now_ms};
use parlor_rules::{Chips, Refusal};
use parlor_table::{Bytes32, Stamp};
use parlor_wire::{Level, Me, Offer, Request, Say, Tell, VERSION};
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;

/// How often a client may be told to slow down at once before it is cut off; two more every second.
const PATIENCE: f64 = 200.0;

/// One client.
pub(crate) struct Session {
    front: Arc<Front>,
    address: IpAddr,
    /// Where news go; none over HTTP.
    line: Option<Line>,
    signed: Option<Arc<Signed>>,
    counted: Option<Counted<u64>>,
    bucket: Bucket,
    patience: Bucket,
    lobby: Option<tokio::task::JoinHandle<()>>,
    /// Whether somebody may have been found, once the answer is out.
    waits: bool,
    /// The table that was last played at.
    last: Option<(String, Arc<Door>)>,
    /// The game that is spoken of here; none if any may be.
    game: Option<&'static str>,
}

/// The answer that something was refused.
pub(crate) fn refused(id: Option<String>, refusal: Refusal) -> Tell {
    let Refusal { code, text, mut facts } = refusal;
    let id = id.or_else(|| facts.remove("id").and_then(|id| id.as_str().map(str::to_owned)));
    Tell::Refused { id, code: code.to_owned(), text, facts }
}

/// Whether a text may be said: in one line, as it is written, with something to see.
fn is_one_line(text: &str) -> bool {
    // Lines end with some of them; others turn the text around that stands behind them.
    let breaks = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    // They join or part what stands beside them, and are nothing alone.
    let unseen = |c: char| {
        c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
    };
    text.chars().count() <= 200 && !text.contains(breaks) && !text.chars().all(unseen)
}

/// A link of a hash chain, or its end.
fn link(text: &str) -> Result<Bytes32, Refusal> {
    let why = |_| Refusal::malformed("a link or a tip is 64 hex digits".to_owned());
    text.parse().map_err(why)
}

/// What a client puts on what it plays.
fn stamp(id: &str, ask: Option<u64>, contribution: Option<&str>) -> Result<Stamp, Refusal> {
    let contribution = contribution.map(link).transpose()?;
    Ok(Stamp { id: Some(id.to_owned()), ask, contribution })
}

impl Session {
    /// Somebody who has not said who it is.
    pub(crate) fn new(
        front: Arc<Front>,
        address: IpAddr,
        line: Option<Line>,
        game: Option<&'static str>,
    ) -> Self {
        let bucket = front.guard.bucket();
        Self {
            front,
            address,
            line,
            signed: None,
            counted: None,
            bucket,
            patience: Bucket::new(2.0, PATIENCE),
            lobby: None,
            waits: false,
            last: None,
            game,
        }
    }

    /// Somebody who has shown this token.
    pub(crate) fn sign(&mut self, signed: Signed) {
        self.signed = Some(Arc::new(signed));
    }

    /// Whether there is still an answer to get for a message that comes now.
    pub(crate) fn in_measure(&mut self) -> Result<(), Refusal> {
        self.front.hall.metrics.messages.inc();
        let account = self.signed.as_ref().map(|signed| signed.account.number);
        let ok = self.bucket.take(Instant::now())
            && account.is_none_or(|account| self.front.guard.messages.take(account));
        if ok {
            return Ok(());
        }
        if !self.patience.take(Instant::now())
            && let Some(line) = &self.line
        {
            let (code, text) = ("flood", "too many messages; come back when they are fewer");
            line.tell(Tell::Bye { code: code.to_owned(), text: text.to_owned() });
            line.cut();
        }
        refuse("slow_down", "too many messages; wait a second and say it again")
    }

    /// Ends when what was said before is answered.
    pub(crate) async fn settled(&self) {
        if let Some(line) = &self.line {
            line.settled().await;
        }
    }

    /// Hears a message from the line. Gives the answer, none where the room gives it; or the message
    /// back, if it takes longer to [answer](Self::answer_later).
    pub(crate) fn hear(&mut self, text: &str) -> Result<Option<Tell>, Request> {
        let (id, refusal) = match (self.in_measure(), Request::read(text)) {
            (Ok(()), Ok(request)) => {
                let door = match &request.say {
                    Say::Play { table, .. } => self.at_hand(table).cloned(),
                    _ => None,
                };
                return match door {
                    Some(door) => Ok(self.plays(&door, request)),
                    None => Err(request),
                };
            }
            (Ok(()), Err(refusal)) | (Err(refusal), Err(_)) => (None, refusal),
            (Err(refusal), Ok(Request { id, .. })) => (Some(id), refusal),
        };
        Ok(Some(self.refuse(id, refusal)))
    }

    /// Answers a message from the line that nobody has answered yet.
    pub(crate) async fn answer_later(&mut self, request: Request) -> Option<Tell> {
        let Say::Play { table, .. } = &request.say else {
            return Some(self.answered(request).await);
        };
        let found = match self.allowed(&request.say) {
            Ok(_) => self.door(table).await,
            Err(refusal) => Err(refusal),
        };
        match found {
            Ok(door) => self.plays(&door, request),
            Err(refusal) => Some(self.refuse(Some(request.id), refusal)),
        }
    }

    /// Says something to the rules, and lets the room answer; gives the answer if that cannot be.
    fn plays(&self, door: &Door, Request { id, say }: Request) -> Option<Tell> {
        let play = || {
            let account = self.allowed(&say)?.account.number;
            let line = self.line()?.clone();
            let Say::Play { ask, command, link, .. } = say else { return Ok(()) };
            let stamp = stamp(&id, ask, link.as_deref())?;
            let reply = Reply::Line(Spoken::new(line, &id));
            // Where the room is gone, the reply says so.
            let _ = door.inbox.send(Message::Play { account, command, stamp, reply });
            Ok(())
        };
        play().err().map(|refusal| self.refuse(Some(id.clone()), refusal))
    }

    /// The same for a message that is read already, and that a client has not said itself.
    pub(crate) async fn answered(&mut self, Request { id, say }: Request) -> Tell {
        match self.answer(&id, say).await {
            Ok(tell) => tell,
            Err(refusal) => self.refuse(Some(id), refusal),
        }
    }

    fn refuse(&self, id: Option<String>, refusal: Refusal) -> Tell {
        self.front.hall.metrics.refused(refusal.code);
        refused(id, refusal)
    }

    async fn me(&self, account: Account) -> Result<Me, Refusal> {
        let hall = self.front.hall.clone();
        blocking(move || hall.me(&account)).await
    }

    /// Welcomes somebody.
    async fn welcome(&mut self, id: &str, signed: Signed, new: bool) -> Result<Tell, Refusal> {
        let number = signed.account.number;
        let most = self.front.guard.settings.connections_per_account;
        let Some(counted) = self.front.guard.by_account.one(number, most) else {
            return refuse("too_many_connections", "you are here too often already; close some");
        };
        let me = self.me(signed.account.clone()).await?;
        let tables = self.front.hall.tables_of(number).into_iter();
        let allowed = |name: &str| signed.table.as_deref().is_none_or(|only| only == name);
        let tables = tables.filter(|(_, game)| self.game.is_none_or(|only| only == game));
        let tables = tables.map(|(name, _)| name.to_string()).filter(|name| allowed(name));
        let tell = Tell::Welcome {
            id: id.to_owned(),
            version: VERSION,
            me,
            token: new.then(|| signed.token.clone()),
            tables: tables.collect(),
            now_ms: now_ms(),
        };
        self.counted = Some(counted);
        if let Some(line) = &self.line {
            line.picks_up();
            self.front.hall.came(number, &signed.token, line);
        }
        self.signed = Some(Arc::new(signed));
        Ok(tell)
    }

    /// Does what takes long on purpose, if it may be tried from here, when its turn has come.
    async fn tries<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        if !self.front.guard.logins.take(self.address) {
            return refuse("slow_down", "many tries come from where you are; wait a minute");
        }
        let _turn = self.front.guard.hashing.acquire().await;
        blocking(work).await
    }

    async fn answer(&mut self, id: &str, say: Say) -> Result<Tell, Refusal> {
        if let Say::Hello { version, .. } | Say::Login { version, .. } = &say {
            if *version != VERSION {
                let text = format!("this server speaks version {VERSION}");
                return refuse("other_version", text);
            }
            if self.signed.is_some() {
                return refuse("hello_twice", "you have said hello already");
            }
        }
        if let (Say::Hello { views, .. } | Say::Login { views, .. }, Some(line)) =
            (&say, &self.line)
        {
            line.set_views(views.unwrap_or(true));
        }
        let hall = self.front.hall.clone();
        match say {
            Say::Hello { token: Some(token), .. } => {
                let signed = blocking(move || hall.accounts.by_token(&token)).await?;
                self.welcome(id, signed, false).await
            }
            Say::Hello { token: None, name, language, .. } => {
                let Some(name) = name else {
                    let text = "hello: needs a token, or the name of a new guest";
                    return Err(Refusal::malformed(text.to_owned()));
                };
                if !self.front.guard.accounts.take(self.address) {
                    let text = "many new guests come from where you are; wait a minute";
                    return refuse("slow_down", text);
                }
                let guest = move || hall.accounts.guest(&name, language.unwrap_or_default());
                let signed = blocking(guest).await?;
                self.welcome(id, signed, true).await
            }
            Say::Login { name, password, .. } => {
                let signed = self.tries(move || hall.accounts.login(&name, &password)).await?;
                self.welcome(id, signed, true).await
            }
            Say::Ping {} => Ok(Tell::Done { id: id.to_owned() }),
            say => {
                let signed = self.allowed(&say)?;
                self.act(id, &signed, say).await
            }
        }
    }

    /// Who says this, if that one may.
    fn allowed(&self, say: &Say) -> Result<Arc<Signed>, Refusal> {
        let hello = || Refusal::new("hello_first", "say hello or login first");
        let signed = self.signed.clone().ok_or_else(hello)?;
        if signed.table.as_ref().is_some_and(|only| !chair_may(say, only)) {
            let text = "this token is for one chair at one table, and for nothing else";
            return refuse("seat_only", text);
        }
        Ok(signed)
    }

    /// The table that was last spoken of, if it is this one: it needs not be looked for.
    fn at_hand(&self, table: &str) -> Option<&Arc<Door>> {
        let (name, door) = self.last.as_ref()?;
        (name == table && !door.inbox.is_closed()).then_some(door)
    }

    /// A table.
    async fn door(&mut self, table: &str) -> Result<Arc<Door>, Refusal> {
        if let Some(door) = self.at_hand(table) {
            return Ok(door.clone());
        }
        let door = self.front.hall.find(table).await?;
        self.last = Some((table.to_owned(), door.clone()));
        Ok(door)
    }

    fn line(&self) -> Result<&Line, Refusal> {
        let none = || Refusal::new("needs_socket", "this is told over a WebSocket: use /ws");
        self.line.as_ref().ok_or_else(none)
    }

    async fn act(&mut self, id: &str, signed: &Signed, say: Say) -> Result<Tell, Refusal> {
        let hall = self.front.hall.clone();
        let me = &signed.account;
        let account = me.number;
        match say {
            Say::Account { language } => {
                let account = match language {
                    Some(language) => {
                        let spoken = blocking(move || hall.accounts.speak(account, language));
                        spoken.await?
                    }
                    None => blocking(move || hall.accounts.account(account)).await?,
                };
                let me = self.me(account).await?;
                return Ok(Tell::Account { id: id.to_owned(), me });
            }
            Say::Claim { password } => {
                self.tries(move || hall.accounts.claim(account, &password)).await?;
            }
            Say::Logout {} => {
                let token = signed.token.clone();
                let own = self.line.as_ref().map(Line::number);
                let revoking = hall.clone();
                blocking(move || revoking.accounts.revoke(&token)).await?;
                hall.cut(|_, token| *token == signed.token, own);
                self.leaves();
                self.signed = None;
                self.counted = None;
            }
            Say::Lobby { watch } => {
                self.follow_lobby(watch)?;
                return Ok(Tell::Tables { id: Some(id.to_owned()), tables: hall.lobby() });
            }
            Say::Create { game, seats, config, options, access } => {
                let from = self.address;
                let created = blocking(move || {
                    let (by, guests) = (Some(account), &[]);
                    let (game, config, options) = (&*game, &config, &options);
                    hall.create(&Wanted { game, seats, config, options, access, by, from, guests })
                });
                let Opened { table, key, .. } = created.await?;
                return Ok(Tell::Created { id: id.to_owned(), table: table.to_string(), key });
            }
            Say::Sit { table, seat, chips, key, tip } => {
                self.may_look(&table)?;
                let tip = tip.as_deref().map(link).transpose()?;
                let seat = hall.sit(&table, account, seat, chips, tip, key).await?;
                let token = hall.seat_token(account, &table).await?;
                if let Some(line) = &self.line {
                    hall.watch(&table, account, None, line, None).await?;
                }
                let seat = seat.index() as u8;
                return Ok(Tell::Seated { id: id.to_owned(), table, seat, token });
            }
            Say::TopUp { table, chips } => {
                hall.ask(&table, |answer| Message::TopUp { account, chips, answer }).await?;
            }
            Say::House { table, level, seat, chips } => {
                hall.house(&table, Some(account), level, seat, chips).await?;
            }
            Say::Watch { table, key, epoch, seq } => {
                self.may_look(&table)?;
                hall.watch(&table, account, key, self.line()?, epoch.zip(seq)).await?;
            }
            Say::Play { table, ask, command, link } => {
                let stamp = stamp(id, ask, link.as_deref())?;
                self.door(&table).await?.play(account, command, stamp).await?;
            }
            Say::Release { table, link: text } => {
                let link = link(&text)?;
                hall.ask(&table, |answer| Message::Release { account, link, answer }).await?;
            }
            Say::Proof { table } => {
                let looked = hall.look(&table, Some(account), None).await?;
                return Ok(Tell::Proof {
                    id: id.to_owned(),
                    table,
                    dice: looked.dice,
                    root: looked.root,
                    hand: looked.proof,
                });
            }
            Say::Offer { table, what: Offer::Rematch } => {
                hall.again(&table, account, true, self.line.clone(), self.address).await?;
            }
            Say::Answer { table, what: Offer::Rematch, accept } => {
                hall.again(&table, account, accept, self.line.clone(), self.address).await?;
            }
            Say::Leave { table } => {
                let line = self.line.as_ref().map(Line::number);
                hall.ask(&table, |answer| Message::Leave { account, line, answer }).await?;
            }
            Say::Chat { table, text } => {
                let text = text.trim().to_owned();
                if !is_one_line(&text) {
                    return refuse("bad_chat", "say 1 to 200 characters that can be seen");
                }
                let line = self.line.as_ref().map(Line::number);
                let chat = |answer| Message::Chat { account, line, text, answer };
                hall.ask(&table, chat).await?;
            }
            Say::Queue { game, config, ranked, chips, house_after_s, level } => {
                let house = house_after_s.map(|after_s| (after_s, level));
                self.queue(me, game, config, ranked, chips, house).await?;
            }
            Say::Unqueue {} => {
                if !hall.queue.leave(account) {
                    return refuse("not_queued", "you do not wait");
                }
            }
            Say::Hello { .. } | Say::Login { .. } | Say::Ping {} => {}
        }
        Ok(Tell::Done { id: id.to_owned() })
    }

    /// Whether the connection may look at a table beside those it looks at already: where there are
    /// many, those where the game is over count no more.
    fn may_look(&self, table: &str) -> Result<(), Refusal> {
        let Some(line) = &self.line else { return Ok(()) };
        let (most, looked_at) = (self.front.guard.settings.tables_per_connection, line.tables());
        let many = looked_at.len() >= most && looked_at.iter().all(|other| other.as_str() != table);
        if many && !self.front.hall.look_ahead(std::slice::from_ref(line)) {
            return refuse("too_many_tables", "you look at many tables; leave some first");
        }
        Ok(())
    }

    /// Waits for somebody who wants the same; where people come and go, takes a chair at once.
    async fn queue(
        &mut self,
        me: &Account,
        game: String,
        config: Map<String, Value>,
        ranked: bool,
        chips: Option<Chips>,
        house: Option<(u32, Level)>,
    ) -> Result<(), Refusal> {
        let (hall, line, account) = (self.front.hall.clone(), self.line()?.clone(), me.number);
        let rules = hall.known_game(&game)?;
        let full = options_of(rules, &config, ranked)?;
        let since_ms = now_ms();
        let house = house.map(|(after_s, level)| (since_ms + u64::from(after_s) * 1_000, level));
        if rules.comes_and_goes() {
            let sought = Sought { game, config, full, ranked };
            self.waits = house.is_some();
            return hall.take_any_chair(me, sought, chips, house, &line, self.address).await;
        }
        let deposit = rules.deposit(&full)?;
        if deposit > Chips::ZERO && deposit > hall.balance(rules.unit(), account).await? {
            return refuse("overdrawn", "you do not have what is played for");
        }
        let rating = match rules.rated(&full)? {
            Some(rated) => {
                let (hall, game) = (hall.clone(), game.clone());
                blocking(move || hall.rating(&game, &rated.set, account)).await?.rating
            }
            None => crate::ratings::Rating::START.rating,
        };
        if hall.tables_of(account).iter().any(|(_, other)| *other == game) {
            return refuse("in_game", "you play this already; finish that game first");
        }
        let (house_at_ms, level) = house.unzip();
        let level = level.unwrap_or_default();
        let sought = Sought { game, config, full, ranked };
        let from = self.address;
        let waiting = Waiting { account, line, from, sought, rating, since_ms, house_at_ms, level };
        if !hall.queue.join(waiting) {
            return refuse("queued", "you wait already");
        }
        self.waits = true;
        Ok(())
    }

    fn follow_lobby(&mut self, watch: bool) -> Result<(), Refusal> {
        if let Some(task) = self.lobby.take() {
            task.abort();
        }
        if !watch {
            return Ok(());
        }
        let (mut lobby, line) = (self.front.lobby.subscribe(), self.line()?.clone());
        self.lobby = Some(tokio::spawn(async move {
            while lobby.changed().await.is_ok() {
                // Who reads slowly is shown the newest when there is room for it.
                while line.is_full() {
                    tokio::time::sleep(LOBBY).await;
                }
                let frame = lobby.borrow_and_update().clone();
                line.send(&frame);
            }
        }));
        Ok(())
    }

    /// What follows once the answer is out.
    pub(crate) async fn follow_up(&mut self) {
        if std::mem::take(&mut self.waits) {
            Box::pin(self.front.hall.match_up()).await;
        }
    }

    /// Whether all connections are to end.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.front.stopping.clone()
    }

    /// Whether they are to now.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.front.stopping.borrow()
    }

    /// It is over. When the server stops, nobody has left: a stop is no disconnect.
    pub(crate) fn leaves(&mut self) {
        if let Some(task) = self.lobby.take() {
            task.abort();
        }
        let Some(line) = &self.line else { return };
        self.front.hall.queue.hang_up(line);
        if !self.is_stopping() {
            self.front.hall.hang_up(line);
            self.front.hall.went(line);
        }
    }
}

/// What the token of a chair at a table is good for.
fn chair_may(say: &Say, only: &str) -> bool {
    match say {
        Say::Watch { table, .. }
        | Say::Play { table, .. }
        | Say::Release { table, .. }
        | Say::Proof { table }
        | Say::Offer { table, .. }
        | Say::Answer { table, .. }
        | Say::Chat { table, .. } => table == only,
        Say::Logout {} => true,
        _ => false,
    }
}

/// Ends when the server stops.
pub(crate) async fn stops(stopping: &mut watch::Receiver<bool>) {
    // An error means that it has.
    drop(stopping.wait_for(|stopping| *stopping).await);
}
