//! Solving a system of equations by peeling: as long as there is a variable that stands in one equation only, that equation
//! is put aside, and solved by this variable when all others have their values.
//!
//! Which equations a variable stands in is kept as their number and their XOR, which is the one when there is one.
//!
//! Cost: linear; eight bytes for each variable, and for each equation.

/// After so many attempts it is looked for keys that cannot be told apart.
const ATTEMPTS_BEFORE_DOUBT: u16 = 8;

/// The places of a key, by its hash.
type Places<const K: usize> = Box<dyn Fn(u64) -> [usize; K]>;

/// Gives the values of all variables. `shape` says how many there are for so many keys, and where those of a key are, at each
/// attempt otherwise; `number` gives the right side of an equation. Keys that cannot be told from another leave `keys`.
pub(super) fn solve<const K: usize>(
    keys: &mut Vec<(u64, u32)>,
    number: impl Fn(&(u64, u32)) -> u64,
    mut shape: impl FnMut(usize, u16) -> (usize, Places<K>),
    repeated: &mut Vec<u32>,
) -> Vec<u64> {
    for attempt in 0.. {
        if attempt == ATTEMPTS_BEFORE_DOUBT {
            leave_out_repeated(keys, repeated);
        }
        let (variables, places) = shape(keys.len(), attempt);
        let of_keys: Vec<[u32; K]> =
            keys.iter().map(|(hash, _)| places(*hash).map(|place| place as u32)).collect();
        let peeled = peel(&of_keys, variables);
        if peeled.len() == keys.len() {
            return substitute(&peeled, &of_keys, variables, |key| number(&keys[key]));
        }
    }
    unreachable!("keys with different hashes have different places, and room for them grows")
}

/// The equations that can be put aside, in that order, each with the variable that solves it.
fn peel<const K: usize>(places: &[[u32; K]], variables: usize) -> Vec<(u32, u32)> {
    // In how many equations each variable stands, and all of these by XOR.
    let mut uses = vec![(0u32, 0u32); variables];
    for (equation, places) in (0u32..).zip(places) {
        for place in places {
            let (count, equations) = &mut uses[*place as usize];
            *count += 1;
            *equations ^= equation;
        }
    }
    let (mut peeled, mut waiting) = (Vec::with_capacity(places.len()), Vec::new());
    for variable in 0..uses.len() as u32 {
        waiting.push(variable);
        while let Some(variable) = waiting.pop() {
            let (1, equation) = uses[variable as usize] else { continue };
            peeled.push((equation, variable));
            for place in places[equation as usize] {
                let (count, equations) = &mut uses[place as usize];
                *count -= 1;
                *equations ^= equation;
                if *count == 1 {
                    waiting.push(place);
                }
            }
        }
    }
    peeled
}

fn substitute<const K: usize>(
    peeled: &[(u32, u32)],
    places: &[[u32; K]],
    variables: usize,
    number: impl Fn(usize) -> u64,
) -> Vec<u64> {
    let mut values = vec![0u64; variables];
    for &(equation, variable) in peeled.iter().rev() {
        let key = equation as usize;
        // Its own variable is still zero.
        let others = places[key].iter().fold(0, |sum, place| sum ^ values[*place as usize]);
        values[variable as usize] = others ^ number(key);
    }
    values
}

#[cold]
fn leave_out_repeated(keys: &mut Vec<(u64, u32)>, repeated: &mut Vec<u32>) {
    keys.sort_unstable();
    keys.dedup_by(|(hash, key), (before, _)| {
        let is_repeated = hash == before;
        repeated.extend(is_repeated.then_some(*key));
        is_repeated
    });
}
