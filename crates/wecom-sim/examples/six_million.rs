//! Fills the simulation with six million codes and tells how much memory that takes.
//!
//! 30,000 enterprises of 40 members with 200 codes each, and 5 to 20 members on each code, chosen by the seed. Then
//! 100,000 codes are read by `get_contact_way`, each in another enterprise than the one before.
//!
//! `cargo run --release -p wecom-sim --example six_million [-- CORPS CODES_EACH]`; memory is told on Linux alone.
#![expect(clippy::print_stdout, reason = "an example tells what it found")]

use std::{env, error::Error, fs};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use tower_service::Service;
use wecom::Clock;
use wecom_sim::{
    Profile, Sim,
    profile::{Corp, Windows},
    world::{CodeSeed, Random},
};

const MEMBERS: usize = 40;
const READS: usize = 100_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut sizes = env::args().skip(1).map(|size| size.parse::<usize>());
    let corps = sizes.next().transpose()?.unwrap_or(30_000);
    let codes = sizes.next().transpose()?.unwrap_or(200);
    let clock = Clock::system();
    let before = resident_bytes().unwrap_or_default();
    let (sim, ids) = fill(corps, codes)?;
    let filled = clock.now();
    println!(
        "{} codes of {corps} enterprises in {filled:.1?}",
        corps * codes
    );
    if let Some(after) = resident_bytes() {
        let taken = after.saturating_sub(before);
        let each = taken / u64::try_from(corps * codes)?.max(1);
        println!(
            "resident: {} MiB; {each} bytes a code, members and enterprises in it",
            after >> 20
        );
    }
    let began = clock.now();
    read(&sim, &ids).await?;
    println!("{READS} reads in {:.1?}", clock.now() - began);
    if let Some(after) = resident_bytes() {
        println!("resident after them: {} MiB", after >> 20);
    }
    Ok(())
}

/// Returns the simulation and, of each enterprise, one code.
fn fill(corps: usize, codes: usize) -> Result<(Sim, Vec<String>), Box<dyn Error>> {
    let profile = Profile {
        windows: Windows {
            ip_per_minute: 0,
            ip_per_hour: 0,
            ..Windows::default()
        },
        ..Profile::default()
    };
    let sim = Sim::new(&profile)?;
    let random = Random::new(1, "six million");
    let members: Vec<String> = (1..=MEMBERS).map(|number| format!("m{number}")).collect();
    let mut sample = Vec::with_capacity(corps);
    for number in 0..corps {
        let corp = sim.world().add_corp(&Corp {
            id: format!("ww{number:016x}"),
            secret: "secret".into(),
            more_members: u32::try_from(MEMBERS)?,
            ..Corp::default()
        })?;
        let chosen: Vec<(String, Vec<&str>)> = (0..codes)
            .map(|code| {
                let first = random.below(MEMBERS);
                let count = 5 + random.below(16);
                let users = members.iter().cycle().skip(first).take(count);
                (
                    format!("channel-{code}"),
                    users.map(String::as_str).collect(),
                )
            })
            .collect();
        let seeds: Vec<_> = chosen
            .iter()
            .map(|(state, users)| CodeSeed {
                state,
                users,
                ..CodeSeed::default()
            })
            .collect();
        let mut ids = corp.add_codes(&seeds)?;
        sample.push(ids.swap_remove(random.below(codes)));
    }
    Ok((sim, sample))
}

async fn read(sim: &Sim, ids: &[String]) -> Result<(), Box<dyn Error>> {
    let mut tokens = Vec::with_capacity(ids.len());
    for number in 0..ids.len() {
        let path = format!("gettoken?corpid=ww{number:016x}&corpsecret=secret");
        let given = call(sim, "GET", &path, String::new()).await?;
        let token = given["access_token"].as_str().ok_or("no token")?;
        tokens.push(token.to_owned());
    }
    for (token, id) in tokens.iter().zip(ids).cycle().take(READS) {
        let path = format!("externalcontact/get_contact_way?access_token={token}");
        let way = call(sim, "POST", &path, format!("{{\"config_id\":\"{id}\"}}")).await?;
        if way["contact_way"]["config_id"] != **id {
            return Err(format!("read something else: {way}").into());
        }
    }
    Ok(())
}

async fn call(
    sim: &Sim,
    method: &str,
    path: &str,
    body: String,
) -> Result<serde_json::Value, Box<dyn Error>> {
    let request = Request::builder()
        .method(method)
        .uri(format!("/cgi-bin/{path}"))
        .body(Full::new(Bytes::from(body)))?;
    let answer = sim.service().call(request).await?;
    Ok(serde_json::from_slice(
        &answer.into_body().collect().await?.to_bytes(),
    )?)
}

/// What of this process is in memory.
fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}
