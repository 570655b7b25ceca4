//! How strong people play: Glicko-2 as lichess runs it, and for matches of backgammon the ratings of
//! FIBS. Nothing here reads a clock or keeps anything.
//!
//! Glicko-2 is our own: the crates for it rate whole periods only, or do not match lichess exactly, and
//! none has FIBS. The tests compare it with `skillratings`.
//!
//! ```
//! use parlor_ratings::{Rating, after};
//! use parlor_rules::Scale;
//!
//! let won = after(&Rating::START, &Rating::START, 1.0, Scale::Glicko2, 0, false);
//! assert!(won.rating > 1_700.0 && won.games == 1);
//! ```

use parlor_rules::{Scale, Seat, Verdict};
use serde::{Deserialize, Serialize};

/// The rating of one player in one rule set of one game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// The number itself.
    pub rating: f64,
    /// How uncertain it was after the last game.
    pub deviation: f64,
    /// How much it moves about.
    pub volatility: f64,
    /// How many games it stands on.
    pub games: u32,
    /// Points of all matches played, for FIBS.
    pub experience: u32,
    /// When the last game was, in milliseconds since 1970.
    pub at_ms: u64,
}

impl Rating {
    /// Of who has not played yet.
    pub const START: Self = Self {
        rating: 1500.0,
        deviation: 500.0,
        volatility: 0.09,
        games: 0,
        experience: 0,
        at_ms: 0,
    };

    /// How uncertain it is by now: what is not tried becomes unsure.
    pub fn deviation_at(&self, now_ms: u64) -> f64 {
        bounded(grown(self.deviation / UNIT, self.volatility, self.periods(now_ms)))
    }

    /// Whether it still says little.
    pub fn is_provisional(&self, scale: Scale, now_ms: u64) -> bool {
        match scale {
            Scale::Glicko2 => self.deviation_at(now_ms) >= 110.0,
            Scale::Fibs { .. } => self.ramp() > 1.0,
        }
    }

    /// How many rating periods have passed since the last game.
    fn periods(&self, now_ms: u64) -> f64 {
        now_ms.saturating_sub(self.at_ms) as f64 / DAY_MS * PERIODS_A_DAY
    }

    /// How much faster than that of an experienced player it moves, on FIBS.
    fn ramp(&self) -> f64 {
        (5.0 - f64::from(self.experience) / 100.0).max(1.0)
    }
}

impl Default for Rating {
    fn default() -> Self {
        Self::START
    }
}

/// What a verdict is worth to a seat: 1, 0, or a half; none if it counts for nobody.
pub fn score(verdict: Verdict, seat: Seat) -> Option<f64> {
    match verdict {
        Verdict::Won(winner) => Some(if winner == seat { 1.0 } else { 0.0 }),
        Verdict::Drawn => Some(0.5),
        Verdict::Void => None,
    }
}

/// My rating after a table with one other player that had this score for me, from 0 to 1.
///
/// Both ratings are those from before. A bot's rating is fixed: it is never given here as mine, does
/// not become unsure, and what a table with it changes is halved.
pub fn after(
    mine: &Rating,
    theirs: &Rating,
    score: f64,
    scale: Scale,
    now_ms: u64,
    against_bot: bool,
) -> Rating {
    let next = match scale {
        Scale::Glicko2 => {
            let deviation =
                if against_bot { theirs.deviation } else { theirs.deviation_at(now_ms) };
            glicko2(mine, &Rating { deviation, ..*theirs }, score, mine.periods(now_ms))
        }
        Scale::Fibs { length } => fibs(mine, theirs, score, length),
    };
    let half = |before: f64, after: f64| if against_bot { (before + after) / 2.0 } else { after };
    let unsure = match scale {
        Scale::Glicko2 => mine.deviation_at(now_ms),
        Scale::Fibs { .. } => mine.deviation,
    };
    Rating {
        rating: half(mine.rating, next.rating),
        deviation: half(unsure, next.deviation),
        volatility: half(mine.volatility, next.volatility),
        games: mine.games.saturating_add(1),
        at_ms: now_ms,
        ..next
    }
}

/// A unit of Glicko-2's own scale, in points of a rating.
const UNIT: f64 = 173.7178;
/// How much a volatility may change.
const TAU: f64 = 0.75;
/// The least and the most a rating is uncertain.
const DEVIATIONS: (f64, f64) = (45.0, 500.0);
/// The most two ratings are taken to be apart: beyond it a chance is too small to count with.
const APART: f64 = 4000.0;
/// Steps after which a search has come as close as it can.
const STEPS: u32 = 100;
const PERIODS_A_DAY: f64 = 0.21436;
const DAY_MS: f64 = 86_400_000.0;

/// A deviation in units, after so many periods without a game.
fn grown(phi: f64, sigma: f64, periods: f64) -> f64 {
    (phi * phi + periods * sigma * sigma).sqrt()
}

/// A deviation of so many units, as it is kept.
fn bounded(phi: f64) -> f64 {
    (phi * UNIT).clamp(DEVIATIONS.0, DEVIATIONS.1)
}

/// One game by Glicko-2, so many rating periods after my last one. The names are those of
/// Glickman's paper, <http://www.glicko.net/glicko/glicko2.pdf>.
fn glicko2(mine: &Rating, theirs: &Rating, score: f64, periods: f64) -> Rating {
    let (phi, phi_j) = (mine.deviation / UNIT, theirs.deviation / UNIT);
    let g = 1.0 / (1.0 + 3.0 * (phi_j / std::f64::consts::PI).powi(2)).sqrt();
    let ahead = (mine.rating - theirs.rating).clamp(-APART, APART);
    let e = 1.0 / (1.0 + (-g * ahead / UNIT).exp());
    let v = 1.0 / (g * g * e * (1.0 - e));
    let sigma = volatility(mine.volatility, phi, v, v * g * (score - e));
    let phi_star = bounded(grown(phi, sigma, periods)) / UNIT;
    let phi = 1.0 / (1.0 / (phi_star * phi_star) + 1.0 / v).sqrt();
    Rating {
        rating: mine.rating + UNIT * phi * phi * g * (score - e),
        deviation: bounded(phi),
        volatility: sigma,
        ..*mine
    }
}

/// The volatility after a game: step 5 of the paper, by the Illinois method.
fn volatility(sigma: f64, phi: f64, v: f64, delta: f64) -> f64 {
    const CLOSE: f64 = 0.000_001;
    let (start, spread) = ((sigma * sigma).ln(), delta * delta - phi * phi - v);
    let f = |x: f64| {
        let sum = phi * phi + v + x.exp();
        x.exp() * (spread - x.exp()) / (2.0 * sum * sum) - (x - start) / (TAU * TAU)
    };
    let mut a = start;
    let mut b = match spread > 0.0 {
        true => spread.ln(),
        false => {
            let mut below = (1..=STEPS).map(|k| start - f64::from(k) * TAU);
            below.find(|x| f(*x) >= 0.0).unwrap_or(start)
        }
    };
    let (mut f_a, mut f_b) = (f(a), f(b));
    for _ in 0..STEPS {
        if (b - a).abs() <= CLOSE {
            break;
        }
        let c = a + (a - b) * f_a / (f_b - f_a);
        let f_c = f(c);
        if f_c * f_b <= 0.0 {
            (a, f_a) = (b, f_b);
        } else {
            f_a /= 2.0;
        }
        (b, f_b) = (c, f_c);
    }
    (a / 2.0).exp()
}

/// One match as on FIBS. The one with the lower rating wins with P = 1 / (10^(D·√n / 2000) + 1), D
/// being the difference and n the length; who wins gains 4·K·√n times the chance to lose.
fn fibs(mine: &Rating, theirs: &Rating, score: f64, length: u32) -> Rating {
    let root = f64::from(length).sqrt();
    let ahead = mine.rating - theirs.rating;
    let expected = 1.0 / (10f64.powf(-ahead * root / 2000.0) + 1.0);
    Rating {
        rating: mine.rating + 4.0 * mine.ramp() * root * (score - expected),
        experience: mine.experience.saturating_add(length),
        ..*mine
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillratings::Outcomes;
    use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2 as second_opinion};

    const SCORES: [(f64, Outcomes); 3] =
        [(1.0, Outcomes::WIN), (0.5, Outcomes::DRAW), (0.0, Outcomes::LOSS)];

    /// Times between two games: none, a day, a year, and longer than anybody waits.
    const LATER_MS: [u64; 4] = [0, 86_400_000, 31_536_000_000, 1 << 50];

    fn rated(rating: f64, deviation: f64, volatility: f64) -> Rating {
        Rating { rating, deviation, volatility, ..Rating::START }
    }

    fn with_experience(rating: f64, experience: u32) -> Rating {
        Rating { rating, experience, ..Rating::START }
    }

    fn near(a: f64, b: f64, by: f64) {
        assert!((a - b).abs() <= by, "{a} is not {b}");
    }

    /// Players of all kinds.
    fn players() -> Vec<Rating> {
        let mut all = Vec::new();
        for rating in [-9_000.0, 400.0, 1500.0, 1533.3, 1900.0, 3200.0, 90_000.0] {
            for deviation in [45.0, 80.0, 200.0, 350.0, 500.0] {
                for volatility in [0.04, 0.06, 0.09, 0.1] {
                    all.push(rated(rating, deviation, volatility));
                }
            }
        }
        all
    }

    #[test]
    fn a_win_over_an_equal_is_the_known_one() {
        let equal = rated(1500.0, 350.0, 0.06);
        let won = after(&equal, &equal, 1.0, Scale::Glicko2, 0, false);
        near(won.rating, 1662.21, 0.005);
        near(won.deviation, 290.2305, 0.000_05);
        let lost = after(&equal, &equal, 0.0, Scale::Glicko2, 0, false);
        near(won.rating - 1500.0, 1500.0 - lost.rating, 1e-9);
        assert_eq!(won.games, 1);
    }

    #[test]
    fn another_library_says_the_same_of_one_period() {
        let config = Glicko2Config { tau: TAU, convergence_tolerance: 0.000_001 };
        let theirs = |r: &Rating| Glicko2Rating {
            rating: r.rating,
            deviation: r.deviation,
            volatility: r.volatility,
        };
        let mut compared = 0;
        for a in players() {
            for b in players() {
                for (score, outcome) in SCORES {
                    let own = glicko2(&a, &b, score, 1.0);
                    let (other, _) = second_opinion(&theirs(&a), &theirs(&b), &outcome, &config);
                    // It knows no bounds.
                    if (a.rating - b.rating).abs() > APART
                        || grown(a.deviation / UNIT, own.volatility, 1.0) * UNIT > 500.0
                        || other.deviation < 45.0
                    {
                        continue;
                    }
                    near(own.rating, other.rating, 1e-6);
                    near(own.deviation, other.deviation, 1e-6);
                    near(own.volatility, other.volatility, 1e-6);
                    compared += 1;
                }
            }
        }
        assert!(compared > 20_000, "only {compared} were within the bounds");
    }

    #[test]
    fn who_wins_never_loses_and_stays_in_bounds() {
        for mine in players() {
            for theirs in players() {
                for (score, _) in SCORES {
                    for now in LATER_MS {
                        let next = after(&mine, &theirs, score, Scale::Glicko2, now, false);
                        let gain = next.rating - mine.rating;
                        assert!(score < 1.0 || gain >= 0.0, "{mine:?} wins and has {next:?}");
                        assert!(score > 0.0 || gain <= 0.0, "{mine:?} loses and has {next:?}");
                        assert!((45.0..=500.0).contains(&next.deviation), "{next:?}");
                        assert!(next.rating.is_finite() && next.volatility > 0.0, "{next:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_rating_that_is_not_tried_becomes_unsure() {
        let sure = rated(1500.0, 60.0, 0.09);
        near(sure.deviation_at(0), 60.0, 1e-9);
        // 100 days are 21.436 periods: √(60² + 21.436 · (0.09 · 173.7178)²) = √(3600 + 5239.83)
        near(sure.deviation_at(100 * 86_400_000), 94.0204, 0.000_1);
        assert_eq!(sure.deviation_at(u64::MAX), 500.0);
        assert!(!sure.is_provisional(Scale::Glicko2, 0));
        assert!(sure.is_provisional(Scale::Glicko2, 400 * 86_400_000));
        assert!(Rating::START.is_provisional(Scale::Glicko2, 0));
        // Time that runs backwards is no time.
        near(Rating { at_ms: 10, ..sure }.deviation_at(5), 60.0, 1e-9);
        // Who comes back moves faster than who has just played.
        let win = |now| after(&sure, &sure, 1.0, Scale::Glicko2, now, true).rating;
        assert!(win(400 * 86_400_000) > win(0));
    }

    #[test]
    fn against_a_bot_half_of_it_counts() {
        let (mine, bot) = (rated(1500.0, 200.0, 0.06), rated(1700.0, 60.0, 0.06));
        for scale in [Scale::Glicko2, Scale::Fibs { length: 5 }] {
            let whole = after(&mine, &bot, 1.0, scale, 0, false);
            let half = after(&mine, &bot, 1.0, scale, 0, true);
            near(half.rating - 1500.0, (whole.rating - 1500.0) / 2.0, 1e-9);
            near(200.0 - half.deviation, (200.0 - whole.deviation) / 2.0, 1e-9);
            assert_eq!((half.games, half.experience), (whole.games, whole.experience));
        }
        // A bot is as sure of itself as ever.
        let later = after(&mine, &bot, 1.0, Scale::Glicko2, 1 << 40, true);
        let fresh = Rating { at_ms: 1 << 40, ..bot };
        assert_eq!(later, after(&mine, &fresh, 1.0, Scale::Glicko2, 1 << 40, true));
    }

    #[test]
    fn matches_count_as_on_fibs() {
        let change = |mine: &Rating, theirs: &Rating, score, length| {
            after(mine, theirs, score, Scale::Fibs { length }, 0, false).rating - mine.rating
        };
        let old = with_experience(1500.0, 400);
        // Equal: P = 0.5. K = max(1, 5 - 400 / 100) = 1. 4 · 1 · √1 · 0.5 = 2.
        near(change(&old, &old, 1.0, 1), 2.0, 1e-12);
        near(change(&old, &old, 0.0, 1), -2.0, 1e-12);
        // New: K = 5. 4 · 5 · √1 · 0.5 = 10.
        let new = with_experience(1500.0, 0);
        near(change(&new, &old, 1.0, 1), 10.0, 1e-12);
        // Half way: K = 5 - 150 / 100 = 3.5. Length 9: 4 · 3.5 · 3 · 0.5 = 21.
        near(change(&with_experience(1500.0, 150), &old, 1.0, 9), 21.0, 1e-12);
        // 200 apart, length 4: P = 1 / (10^(200 · 2 / 2000) + 1) = 1 / (10^0.2 + 1) = 0.386863.
        // The favourite wins 4 · 1 · 2 · 0.386863 = 3.094905, the other 8 · 0.613137 = 4.905095.
        let (high, low) = (with_experience(1700.0, 1000), with_experience(1500.0, 1000));
        near(change(&high, &low, 1.0, 4), 3.094_905, 1e-6);
        near(change(&low, &high, 0.0, 4), -3.094_905, 1e-6);
        near(change(&low, &high, 1.0, 4), 4.905_095, 1e-6);
        near(change(&high, &low, 0.0, 4), -4.905_095, 1e-6);
        let next = after(&old, &new, 1.0, Scale::Fibs { length: 7 }, 5, false);
        assert_eq!((next.experience, next.games, next.at_ms), (407, 1, 5));
        assert_eq!((next.deviation, next.volatility), (500.0, 0.09));
        assert!(!next.is_provisional(Scale::Fibs { length: 7 }, 5));
        assert!(with_experience(1500.0, 399).is_provisional(Scale::Fibs { length: 1 }, 5));
    }

    #[test]
    fn on_fibs_one_wins_what_the_other_loses_at_equal_experience() {
        for (mine, theirs) in [(1500.0, 1500.0), (1400.0, 1900.0), (2100.0, 900.0)] {
            for experience in [0, 123, 400, 5_000] {
                for length in [1, 2, 7, 25, 32_767] {
                    let pair = [mine, theirs].map(|r| with_experience(r, experience));
                    let scale = Scale::Fibs { length };
                    let won = after(&pair[0], &pair[1], 1.0, scale, 0, false).rating - mine;
                    let lost = after(&pair[1], &pair[0], 0.0, scale, 0, false).rating - theirs;
                    near(won, -lost, 1e-9);
                    assert!(won >= 0.0);
                }
            }
        }
    }

    #[test]
    fn a_verdict_is_worth_a_score() {
        let (me, other) = (Seat::new(0), Seat::new(1));
        assert_eq!(score(Verdict::Won(me), me), Some(1.0));
        assert_eq!(score(Verdict::Won(other), me), Some(0.0));
        assert_eq!(score(Verdict::Drawn, me), Some(0.5));
        assert_eq!(score(Verdict::Void, me), None);
    }

    #[test]
    fn a_rating_reads_back() {
        let rating = after(&Rating::START, &Rating::START, 1.0, Scale::Glicko2, 1 << 41, false);
        let text = serde_json::to_string(&rating).expect("JSON");
        let read: Rating = serde_json::from_str(&text).expect("a rating");
        near(read.rating, rating.rating, 1e-9);
        assert_eq!((read.games, read.at_ms), (1, 1 << 41));
    }
}
