//! What runs when everything has had its turn.

use super::*;

/// Registers a callback that notes a word.
fn noting(handle: &Handle, log: &Log<&'static str>, word: &'static str) -> SettleId {
    let log = log.clone();
    handle.register(Box::new(move || log.add(word)))
}

#[test]
fn runs_after_all_that_is_ready_and_before_time_moves() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    let settled = noting(&handle, &log, "settled");
    let (mine, inner) = (handle.clone(), log.clone());
    handle.spawn(async move {
        mine.settle(settled);
        let child = inner.clone();
        mine.spawn(async move { child.add("child") });
        mine.sleep_until(ms(1)).await;
        inner.add("later");
    });
    executor.run_until(ms(1));
    assert_eq!(log.all(), ["child", "settled", "later"]);
}

#[test]
fn runs_once_in_order_of_the_first_request() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    let [a, b, c] = ["a", "b", "c"].map(|word| noting(&handle, &log, word));
    for id in [b, a, b, a, a] {
        handle.settle(id);
    }
    executor.run_until(Duration::ZERO);
    assert_eq!(log.all(), ["b", "a"]);
    handle.settle(c);
    handle.settle(a);
    executor.run_until(Duration::ZERO);
    assert_eq!(log.all()[2..], ["c", "a"]);
}

#[test]
fn what_it_makes_ready_has_its_turn_before_the_next_callback() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    let (weak, inner) = (handle.clone(), log.clone());
    let first = handle.register(Box::new(move || {
        inner.add("first");
        let log = inner.clone();
        weak.spawn(async move { log.add("made ready") });
    }));
    let second = noting(&handle, &log, "second");
    handle.settle(first);
    handle.settle(second);
    executor.run_until(Duration::ZERO);
    assert_eq!(log.all(), ["first", "made ready", "second"]);
    assert_eq!(handle.now(), Duration::ZERO);
}

#[test]
fn may_ask_again_while_it_runs() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    let id: Arc<std::sync::OnceLock<SettleId>> = Arc::default();
    let (mine, its, inner) = (handle.clone(), Arc::clone(&id), log.clone());
    let registered = handle.register(Box::new(move || {
        inner.add(());
        if inner.all().len() < 3 {
            mine.settle(*its.get().unwrap());
        }
    }));
    id.set(registered).unwrap();
    handle.settle(registered);
    executor.run_until(Duration::ZERO);
    assert_eq!(log.all().len(), 3);
}

#[test]
fn may_register_another_while_it_runs() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    let (mine, inner) = (handle.clone(), log.clone());
    let outer = handle.register(Box::new(move || {
        let other = noting(&mine, &inner, "registered late");
        mine.settle(other);
    }));
    handle.settle(outer);
    executor.run_until(Duration::ZERO);
    assert_eq!(log.all(), ["registered late"]);
}
