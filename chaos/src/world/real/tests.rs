use super::*;

/// Runs `test` on a runtime of its own, in real time.
fn in_real_time(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test);
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn work_takes_its_time() {
    calibrate();
    in_real_time(async {
        let real = Real::start();
        // The best of many, for the machine has others to serve.
        for (span, cpu) in [(ms(5), 0.0), (ms(5), 0.2), (ms(3), 1.0)] {
            let mut best = Duration::MAX;
            for _ in 0..30 {
                let began = real.now();
                real.work(span, cpu).await;
                best = best.min(real.now().saturating_sub(began));
            }
            let burnt = span.mul_f64(cpu);
            // The wake-up may be quicker than usual, and the CPU faster than when it was measured.
            let least = span - WAKE_UP - burnt.mul_f64(0.2);
            assert!(best >= least, "{span:?}, {cpu}: {best:?}");
            assert!(best < span.mul_f64(1.2), "{span:?}, {cpu}: {best:?}");
        }
    });
}

#[test]
fn sleeps_end_in_their_order_and_are_forgotten_when_dropped() {
    in_real_time(async {
        let real = Real::start();
        assert!(real.timer.is_some(), "time is real here");
        let now = real.now();
        let mut early = real.sleep_until(now + ms(4));
        let mut late = real.sleep_until(now + ms(400));
        tokio::select! {
            biased;
            () = &mut late => panic!("the later one came first"),
            () = &mut early => {}
        }
        assert!(real.now() >= now + ms(4));
        let Some(timer) = &real.timer else { return };
        assert_eq!(timer.waiting(), 1, "the later one");
        drop(late);
        assert_eq!(timer.waiting(), 0);
    });
}

#[tokio::test(start_paused = true)]
async fn paused_time_jumps_and_nothing_is_burnt() {
    let real = Real::start();
    let system = Clock::system();
    let began = system.now();
    real.work(Duration::from_secs(3600), 1.0).await;
    // The process's epoch may lie microseconds after the moment at which time stood still.
    let hour = Duration::from_secs(3600);
    assert!(hour.abs_diff(real.now()) < ms(1), "{:?}", real.now());
    assert!(
        system.now() - began < Duration::from_secs(60),
        "an hour of arithmetic"
    );
}
