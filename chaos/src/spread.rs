//! Many runs at once, on several threads, with the results in the order of the jobs.

use std::{
    convert::Infallible,
    num::NonZeroUsize,
    ops::ControlFlow,
    panic::resume_unwind,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Returns how many threads the machine has to spare for runs; 1 if it does not say.
#[must_use]
pub fn threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Does all jobs; the result is that of `work` for each, in their order, whatever the threads did.
///
/// Heavy jobs are begun first, so that the last thread does not sit alone over one of them. Each has a thread of its
/// own: what code keeps by thread (`dagor` spreads the users that nobody knows so) begins anew with each run, and
/// no result depends on which jobs came before on the same thread.
///
/// # Errors
///
/// The first error by the order of jobs. Jobs that were begun are finished, others are not begun.
pub fn try_spread<J, R, E>(
    jobs: &[J],
    threads: NonZeroUsize,
    weight: impl Fn(&J) -> u64,
    work: impl Fn(&J) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E>
where
    J: Sync,
    R: Send,
    E: Send,
{
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&job| std::cmp::Reverse(weight(&jobs[job])));

    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(jobs.len()));
    let keep = |job, result: Result<R, E>| {
        let flow = match &result {
            Ok(_) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push((job, result));
        flow
    };
    let worker = || {
        while let Some(&job) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            if keep(job, apart(|| work(&jobs[job]))).is_break() {
                // Nobody begins another one.
                next.store(order.len(), Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.get().min(jobs.len()) {
            // Without another thread it takes longer.
            drop(thread::Builder::new().spawn_scoped(scope, worker));
        }
        worker();
    });

    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(job, _)| *job);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Works on a new thread, or here where there is none to be had. A panic goes on here.
fn apart<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let mut work = Some(work);
    let mut begin = || work.take().map(|work| work());
    let done = thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        match builder.spawn_scoped(scope, &mut begin) {
            Ok(thread) => thread.join(),
            Err(_) => Ok(None),
        }
    });
    match done {
        Ok(Some(result)) => result,
        Ok(None) => begin().unwrap_or_else(|| unreachable!("it is begun once, here or there")),
        Err(panic) => resume_unwind(panic),
    }
}

/// The calls of a task are polled one inside the other, some kilobytes for each service of a chain: with the usual 2
/// MiB a chain of 350 overflowed. Only what is used takes memory.
const STACK: usize = 256 << 20;

/// Does all jobs that cannot fail; otherwise like [`try_spread`].
pub fn spread<J, R>(
    jobs: &[J],
    threads: NonZeroUsize,
    weight: impl Fn(&J) -> u64,
    work: impl Fn(&J) -> R + Sync,
) -> Vec<R>
where
    J: Sync,
    R: Send,
{
    let done: Result<_, Infallible> = try_spread(jobs, threads, weight, |job| Ok(work(job)));
    match done {
        Ok(results) => results,
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, sync::Barrier};

    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

    #[test]
    fn results_stand_in_the_order_of_jobs() {
        let jobs: Vec<u64> = (0..100).collect();
        let squares: Vec<u64> = jobs.iter().map(|job| job * job).collect();
        for threads in [NonZeroUsize::MIN, TWO] {
            assert_eq!(
                spread(&jobs, threads, |job| job % 7, |job| job * job),
                squares
            );
        }
        assert!(spread(&[], TWO, |_: &u64| 1, |job| *job).is_empty());
    }

    #[test]
    fn heavy_jobs_begin_first_and_two_run_at_once() {
        let begun = Mutex::new(Vec::new());
        let meet = Barrier::new(2);
        let jobs = [1, 9, 5, 7];
        let done = spread(
            &jobs,
            TWO,
            |job| *job,
            |job| {
                begun.lock().unwrap().push(*job);
                // Passes only if two threads work on jobs.
                meet.wait();
                *job
            },
        );
        assert_eq!(done, jobs);
        let begun = begun.into_inner().unwrap();
        let (first, last) = begun.split_at(2);
        assert!(
            first.contains(&9) && first.contains(&7) && last.contains(&1),
            "{begun:?}"
        );
    }

    #[test]
    fn what_is_kept_by_thread_is_not_carried_over() {
        thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });
        let count = |_: &u32| {
            COUNT.set(COUNT.get() + 1);
            COUNT.get()
        };
        for threads in [NonZeroUsize::MIN, TWO] {
            assert_eq!(spread(&[0; 5], threads, |_| 1, count), [1; 5]);
        }
    }

    #[test]
    #[should_panic(expected = "a job broke")]
    fn a_panic_of_a_job_is_the_callers() {
        spread(&[1], TWO, |_| 1, |_| panic!("a job broke"));
    }

    #[test]
    fn an_error_ends_it_without_beginning_more() {
        let begun = AtomicUsize::new(0);
        let jobs = [3, 2, 1];
        let failed = try_spread(
            &jobs,
            NonZeroUsize::MIN,
            |job| *job,
            |job| {
                begun.fetch_add(1, Ordering::Relaxed);
                if *job == 2 { Err("two") } else { Ok(()) }
            },
        );
        assert_eq!((failed, begun.into_inner()), (Err("two"), 2));
    }
}
