//! Rates in units a CPU-second, taken in alternating rounds so that noise hits all alike.

use cpu_time::ThreadTime;

/// Something to time: a name, and work that returns how many units it did.
pub(crate) struct Contender<'a> {
    pub(crate) name: &'a str,
    pub(crate) work: Box<dyn FnMut() -> u64 + 'a>,
}

/// How many units a CPU-second a contender did.
pub(crate) struct Rates(Vec<f64>);

impl Rates {
    pub(crate) fn best(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

/// Lets all contenders work in turn, `rounds` times, and prints a line for each.
pub(crate) fn compare(rounds: usize, unit: &str, mut contenders: Vec<Contender<'_>>) -> Vec<Rates> {
    let mut rates: Vec<Rates> = contenders.iter().map(|_| Rates(Vec::new())).collect();
    for _ in 0..rounds {
        for (contender, rates) in contenders.iter_mut().zip(&mut rates) {
            let start = ThreadTime::now();
            let units = (contender.work)();
            rates.0.push(units as f64 / start.elapsed().as_secs_f64());
        }
    }
    for (contender, rates) in contenders.iter().zip(&rates) {
        println!(
            "  {:<8} best {:>14.0}  median {:>14.0}  {unit} a CPU-second",
            contender.name,
            rates.best(),
            rates.median()
        );
    }
    if let [ours, others @ ..] = &rates[..] {
        for (contender, other) in contenders[1..].iter().zip(others) {
            println!(
                "  ratio to {}: best {:.2}, median {:.2}",
                contender.name,
                ours.best() / other.best(),
                ours.median() / other.median()
            );
        }
    }
    rates
}
