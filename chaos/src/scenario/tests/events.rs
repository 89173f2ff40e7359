//! What loads, faults, criteria and figures without mistakes become.

use std::time::Duration;

use super::{good, millis, seconds};
use crate::{
    policy::Name,
    scenario::{Bound, Criterion, CriterionKind, Fault, FaultKind, Load, Published, Shape},
};

#[test]
fn loads_have_their_shapes() {
    for (written, shape) in [
        (
            "shape = \"step\"\nat_s = 5\nfactor = 3",
            Shape::Step {
                at: seconds(5),
                factor: 3.0,
            },
        ),
        ("shape = \"ramp\"\nfactor = 0", Shape::Ramp { factor: 0.0 }),
        (
            "shape = \"sinusoid\"\namplitude = 0.5\nperiod_s = 30",
            Shape::Sinusoid {
                amplitude: 0.5,
                period: seconds(30),
            },
        ),
        (
            "shape = \"bursts\"\nfactor = 2\nlength_s = 1\nevery_s = 5",
            Shape::Bursts {
                factor: 2.0,
                length: seconds(1),
                every: seconds(5),
            },
        ),
        (
            "shape = \"flash-crowd\"\nat_s = 10\nfactor = 10\nrise_s = 0.5\nhold_s = 10\nfall_s = 0",
            Shape::FlashCrowd {
                at: seconds(10),
                factor: 10.0,
                rise: millis(500),
                hold: seconds(10),
                fall: Duration::ZERO,
            },
        ),
    ] {
        let keys = format!("tasks_per_s = 10\nfrom_s = 10\nuntil_s = 50\n{written}");
        let load = Load {
            business: None,
            from: seconds(10),
            until: seconds(50),
            rate: 10.0,
            shape,
        };
        assert_eq!(good(&[("times_capacity = 2", &keys)]).loads, [load]);
    }
}

#[test]
fn faults_have_their_kinds() {
    for (written, kind) in [
        ("kind = \"slow\"\nspeed = 0.25", FaultKind::Speed(0.25)),
        (
            "kind = \"capacity-loss\"\nspeed = 0.25",
            FaultKind::Speed(0.25),
        ),
        ("kind = \"dead\"", FaultKind::Dead),
        ("kind = \"pause\"", FaultKind::Pause),
        (
            "kind = \"delay\"\ndelay_ms = 5",
            FaultKind::Delay(millis(5)),
        ),
        ("kind = \"partition\"", FaultKind::Partition),
        (
            "kind = \"level-lost\"\nshare = 1",
            FaultKind::LevelLost(1.0),
        ),
        (
            "kind = \"level-forged\"\nshare = 0",
            FaultKind::LevelForged(0.0),
        ),
        (
            "kind = \"clock-jump\"\nseconds = -3600",
            FaultKind::ClockJump(-3_600.0),
        ),
        (
            "kind = \"cold-restart\"\ncold_speed = 0.3\nwarm_s = 10",
            FaultKind::ColdRestart {
                cold: 0.3,
                warm: seconds(10),
            },
        ),
    ] {
        let keys = format!("{written}\nlasts_s = 3\ninstances = [2, 0]");
        let fault = Fault {
            at: seconds(30),
            lasts: Some(seconds(3)),
            service: 1,
            instances: vec![2, 0],
            from: None,
            kind,
        };
        let scenario = good(&[("kind = \"slow\"", &keys), ("speed = 0.5\n", "")]);
        assert_eq!(scenario.faults, [fault]);
    }
}

#[test]
fn faults_may_be_everywhere_to_the_end_or_on_one_way() {
    let read = |keys: &str| {
        let scenario = good(&[("kind = \"slow\"", keys), ("speed = 0.5\n", "")]);
        let [fault] = scenario.faults.try_into().unwrap();
        fault
    };
    let fault = read("kind = \"partition\"\nfrom = \"A\"");
    assert_eq!(
        (fault.from, fault.lasts, fault.instances.len()),
        (Some(0), None, 0)
    );
    let wave = FaultKind::DeployWave {
        down: seconds(2),
        every: seconds(5),
    };
    assert_eq!(
        read("kind = \"deploy-wave\"\ndown_s = 2\nevery_s = 5").kind,
        wave
    );
    let hot = [
        ("kind = \"slow\"", "kind = \"hot-key\""),
        ("service = \"M\"", "service = \"A\""),
    ];
    let scenario = good(&[hot[0], hot[1], ("speed = 0.5", "share = 0.5")]);
    assert_eq!(scenario.faults[0].kind, FaultKind::HotKey(0.5));
}

#[test]
fn criteria_have_their_measures() {
    let (least, most) = (Bound::AtLeast(0.5), Bound::AtMost(1.5));
    let cases = upwards(least)
        .into_iter()
        .map(|(written, kind)| (written, "at_least = 0.5", kind));
    let more = downwards(most)
        .into_iter()
        .map(|(written, kind)| (written, "at_most = 1.5", kind));
    for (written, bound, kind) in cases.chain(more) {
        let window = "from_s = 1\nuntil_s = 4\npolicies = [\"none\"]";
        let keys = format!("{written}\n{bound}\n{window}");
        let criterion = Criterion {
            name: String::from("works"),
            from: seconds(1),
            until: seconds(4),
            policies: vec![Name::None],
            kind,
        };
        let scenario = good(&[("\"goodput\"\nat_least = 0.9", &keys)]);
        assert_eq!(scenario.criteria, [criterion]);
    }
}

#[test]
fn figures_are_measured_as_criteria_are() {
    for (written, kind) in upwards(Bound::AtLeast(0.5)) {
        let head = "policy = \"codel\"\nwhat = \"it\"\nvalue = 0.5";
        let keys = format!("at_least = 0.9\n[[published]]\n{head}\nmeasure = {written}");
        let figure = Published {
            policy: Name::Codel,
            what: String::from("it"),
            value: 0.5,
            ours: kind,
            window: (seconds(20), seconds(60)),
        };
        assert_eq!(good(&[("at_least = 0.9", &keys)]).published, [figure]);
    }
}

/// Measures of which more is better.
fn upwards(bound: Bound) -> [(&'static str, CriterionKind); 5] {
    let share = |every_second| CriterionKind::Share {
        business: 0,
        bound,
        every_second,
    };
    [
        ("\"goodput\"", CriterionKind::Goodput(bound)),
        ("\"wasted\"", CriterionKind::Wasted(bound)),
        (
            "\"refused-at-caller\"",
            CriterionKind::RefusedAtCaller(bound),
        ),
        ("\"share\"\nbusiness = \"task\"", share(false)),
        (
            "\"share\"\nbusiness = \"task\"\nevery_second = true",
            share(true),
        ),
    ]
}

/// Measures of which less is better.
fn downwards(bound: Bound) -> [(&'static str, CriterionKind); 9] {
    let p99 = |business| CriterionKind::P99 {
        ms: bound,
        business,
    };
    let recovery = |share| CriterionKind::Recovery {
        share,
        seconds: bound,
    };
    let sheds_from = |share| CriterionKind::ShedsFrom { share, rate: bound };
    let wait = CriterionKind::MeanWait {
        service: 1,
        ms: bound,
    };
    [
        ("\"p99\"", p99(None)),
        ("\"p99\"\nbusiness = \"task\"", p99(Some(0))),
        ("\"recovery\"", recovery(0.95)),
        ("\"recovery\"\nof_optimum = 0.9", recovery(0.9)),
        ("\"mean-wait\"\nservice = \"M\"", wait),
        ("\"fairness\"", CriterionKind::Fairness(bound)),
        ("\"amplification\"", CriterionKind::Amplification(bound)),
        ("\"sheds-from\"", sheds_from(0.02)),
        ("\"sheds-from\"\nshare = 0.1", sheds_from(0.1)),
    ]
}
