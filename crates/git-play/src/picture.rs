//! The board and the badge as pictures, for a README.

use crate::color::Color;
use crate::game::Game;
use parlor_rules_backgammon::state::side;
use std::fmt::Write as _;

const POINT: i32 = 40;
const TALL: i32 = 170;
const MAN: i32 = 17;
const WIDE: i32 = 13 * POINT + 120;
const HIGH: i32 = 460;

/// A text inside SVG.
fn safe(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// How a game stands, in one line.
pub fn headline(game: &Game) -> String {
    let doc = &game.doc;
    match doc.winner {
        Some(winner) => format!("{winner} ({}) has won", doc.players.of(winner)),
        None => {
            let [a, b] = doc.dice;
            let dice = format!("{}{}", a.max(b), a.min(b));
            format!("{} ({}) to play {dice}", doc.active, doc.players.of(doc.active))
        }
    }
}

/// A man, or a pile of them.
fn pile(svg: &mut String, color: Color, men: u8, x: i32, y: i32, step: i32) {
    let (fill, line, ink) = match color {
        Color::White => ("#f7f2e7", "#5b4a36", "#2b2118"),
        Color::Black => ("#2f2a33", "#d8cdb8", "#f7f2e7"),
    };
    for i in 0..men.min(5) {
        let at = y + i32::from(i) * step;
        _ = writeln!(
            svg,
            r#"<circle cx="{x}" cy="{at}" r="{}" fill="{fill}" stroke="{line}" stroke-width="1.5"/>"#,
            MAN - 1
        );
    }
    if men > 5 {
        _ = writeln!(svg, r#"<text x="{x}" y="{}" fill="{ink}">{men}</text>"#, y + 5);
    }
}

/// The board, white at the bottom.
pub fn board(game: &Game) -> String {
    let doc = &game.doc;
    let title = safe(&format!("{}: {}", game.meta.table, headline(game)));
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" role="img" font-family="sans-serif" font-size="13" text-anchor="middle">
<title>{title}</title>
<rect width="{WIDE}" height="{HIGH}" rx="8" fill="#4a3526"/>
<rect x="10" y="30" width="{}" height="400" fill="#d9c3a0"/>
<rect x="{}" y="30" width="{POINT}" height="400" fill="#4a3526"/>
"##,
        13 * POINT,
        10 + 6 * POINT,
    );
    // Point 1 is at the bottom right, as white sees it.
    let middle = |index: i32| {
        let column = if index < 12 { 11 - index } else { index - 12 };
        10 + POINT / 2 + (column + i32::from(column >= 6)) * POINT
    };
    for (index, men) in (0..).zip(doc.points()) {
        let (x, bottom) = (middle(index), index < 12);
        let fill = if index % 2 == 0 { "#a9744f" } else { "#efe0c6" };
        let (base, tip) = if bottom { (430, 430 - TALL) } else { (30, 30 + TALL) };
        let half = POINT / 2;
        _ = writeln!(
            svg,
            r#"<path d="M{} {base}L{} {base}L{x} {tip}Z" fill="{fill}"/>"#,
            x - half,
            x + half
        );
        let label = if bottom { 446 } else { 22 };
        _ = writeln!(
            svg,
            r##"<text x="{x}" y="{label}" fill="#efe0c6" font-size="11">{}</text>"##,
            index + 1
        );
        let color = if men > 0 { Color::White } else { Color::Black };
        let (first, step) = if bottom { (430 - MAN, -2 * MAN) } else { (30 + MAN, 2 * MAN) };
        pile(&mut svg, color, men.unsigned_abs(), x, first, step);
    }
    let (bar, home) = (doc.bar(), doc.home());
    let (bar_x, tray) = (10 + 6 * POINT + POINT / 2, 13 * POINT + 66);
    pile(&mut svg, Color::White, bar.white, bar_x, 200, -2 * MAN);
    pile(&mut svg, Color::Black, bar.black, bar_x, 260, 2 * MAN);
    let mut line = |y: i32, text: &str| {
        _ = writeln!(svg, r##"<text x="{tray}" y="{y}" fill="#efe0c6">{}</text>"##, safe(text));
    };
    let short = |name: &str| match name.chars().count() {
        0..=12 => name.to_owned(),
        _ => name.chars().take(11).chain(['…']).collect(),
    };
    for (color, y) in [(Color::Black, 60), (Color::White, 380)] {
        line(y, &short(doc.players.of(color)));
        line(y + 18, &format!("{} pips", doc.board.pips(side(color.seat()))));
        line(y + 36, &format!("{} off", home.of(color)));
    }
    line(205, &format!("turn {}", doc.turn));
    line(225, if doc.winner.is_some() { "winner" } else { "to play" });
    line(243, doc.active.name());
    let dice: Vec<String> = doc.all_dice().iter().map(u8::to_string).collect();
    line(265, &dice.join(" "));
    if game.meta.length > 0 {
        let score = &game.meta.score;
        line(300, &format!("{} : {} of {}", score.white, score.black, game.meta.length));
    }
    svg + "</svg>\n"
}

/// A line for the top of a README.
pub fn badge(game: &Game) -> String {
    let (left, right) = (safe("backgammon"), headline(game));
    let (wide, right_wide) = (84, 14 + 7 * right.chars().count());
    let color = if game.doc.winner.is_some() { "#5b5b66" } else { "#2f6f4f" };
    let right = safe(&right);
    let all = wide + right_wide;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="20" role="img" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle" fill="#fff">
<title>{left}: {right}</title>
<rect width="{wide}" height="20" fill="#444"/>
<rect x="{wide}" width="{right_wide}" height="20" fill="{color}"/>
<text x="{}" y="14">{left}</text>
<text x="{}" y="14">{right}</text>
</svg>
"##,
        wide / 2,
        wide + right_wide / 2,
    )
}
