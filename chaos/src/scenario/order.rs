//! The graph's order: who calls whom, and whether anybody calls himself in the end.

use super::Edge;

/// Returns the places of the calls, ordered so that a service is called by everybody before it calls.
///
/// Calls on a cycle, and behind one, are left out: a scenario that was checked has none.
pub(crate) fn callers_first(services: usize, edges: &[Edge]) -> Vec<usize> {
    let mut expected = vec![0_usize; services];
    for edge in edges {
        expected[edge.to] += 1;
    }
    let from = by_caller(services, edges);
    let mut ready: Vec<usize> = (0..services).filter(|it| expected[*it] == 0).collect();
    let mut order = Vec::with_capacity(edges.len());
    while let Some(service) = ready.pop() {
        for &place in &from[service] {
            order.push(place);
            let to = edges[place].to;
            expected[to] -= 1;
            if expected[to] == 0 {
                ready.push(to);
            }
        }
    }
    order
}

/// Returns the calls of each service, by their places.
pub(super) fn by_caller(services: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut from = vec![Vec::new(); services];
    for (place, edge) in edges.iter().enumerate() {
        from[edge.from].push(place);
    }
    from
}

/// Returns calls that close a cycle, at most a hundred, each with the services on its cycle in the order of the
/// calls.
pub(super) fn cycles(services: usize, edges: &[Edge]) -> Vec<(usize, Vec<usize>)> {
    let from = by_caller(services, edges);
    let mut found = Vec::new();
    let mut state = vec![State::New; services];
    for start in 0..services {
        if state[start] != State::New {
            continue;
        }
        // Walked without recursion: a graph may be as deep as it has services.
        state[start] = State::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((service, next)) = path.last_mut() {
            let Some(&place) = from[*service].get(*next) else {
                state[*service] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let to = edges[place].to;
            match state[to] {
                State::New => {
                    state[to] = State::OnPath;
                    path.push((to, 0));
                }
                State::OnPath if found.len() < MOST_CYCLES => {
                    let on_path = path.iter().map(|(service, _)| *service);
                    found.push((place, on_path.skip_while(|it| *it != to).collect()));
                }
                State::OnPath | State::Done => {}
            }
        }
    }
    found
}

/// How far the walk is with a service.
#[derive(Clone, Copy, Eq, PartialEq)]
enum State {
    New,
    OnPath,
    Done,
}

/// Nobody takes more out at once.
const MOST_CYCLES: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{scenario::tests::edge, world::Chance};

    fn graph(edges: &[(usize, usize)]) -> Vec<Edge> {
        edges.iter().map(|(from, to)| edge(*from, *to)).collect()
    }

    #[test]
    fn whoever_is_called_by_many_calls_after_all_of_them() {
        let edges = graph(&[(3, 1), (0, 3), (0, 1), (2, 3), (1, 4), (0, 2)]);
        let order = callers_first(5, &edges);
        assert_eq!(order.len(), edges.len());
        for (at, place) in order.iter().enumerate() {
            let after = order[at..]
                .iter()
                .all(|later| edges[*later].to != edges[*place].from);
            assert!(after, "{order:?}");
        }
    }

    #[test]
    fn a_cycle_is_named_by_its_path() {
        let edges = graph(&[(0, 1), (1, 2), (2, 3), (3, 1), (2, 2)]);
        assert_eq!(cycles(4, &edges), [(3, vec![1, 2, 3]), (4, vec![2])]);
        assert_eq!(
            callers_first(4, &edges),
            [0],
            "what is on a cycle is left out"
        );
    }

    #[test]
    fn cycles_are_found_where_there_are_some_and_only_there() {
        for seed in 0..2_000 {
            let mut chance = Chance::new(seed, "order", 0);
            let services = 2 + chance.below(6);
            let calls = chance.below(10);
            let ends = |chance: &mut Chance| (chance.below(services), chance.below(services));
            let edges: Vec<_> = (0..calls).map(|_| ends(&mut chance)).collect();
            let edges = graph(&edges);
            let found = cycles(services, &edges);
            let is_ordered = callers_first(services, &edges).len() == edges.len();
            assert_eq!(found.is_empty(), is_ordered, "seed {seed}");
            for (place, path) in found {
                let next = path.iter().skip(1).chain(path.first());
                for (from, to) in path.iter().zip(next) {
                    let is_call = edges.iter().any(|it| (it.from, it.to) == (*from, *to));
                    assert!(is_call, "seed {seed}: {path:?}");
                }
                assert_eq!(path.last(), Some(&edges[place].from), "seed {seed}");
            }
        }
    }
}
