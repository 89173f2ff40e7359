//! The life of a live code: made, read, changed, found again, removed.
//!
//! ```text
//! CORP_ID=ww… SECRET=… BASE=http://127.0.0.1:8400 cargo run -p wecom --example contact_way
//! ```
//!
//! `SECRET` is that of an app with the customer-contact right; without `BASE` it is the real WeCom. One
//! code is made and removed again, whatever happens in between. Ids of members are not printed.
#![expect(clippy::print_stdout, reason = "an example says what happened")]
#![expect(
    clippy::print_stderr,
    reason = "and on the other stream what went wrong"
)]

use std::{env, error::Error as StdError, process::ExitCode, time::Duration};

use wecom::{
    Class, Client, Clock, Credential, Error, Https,
    api::{
        AddContactWay, ConfigId, Members, Patch, Remark, Scene, State, UpdateContactWay, UserId,
        Users,
    },
};

type Failure = Box<dyn StdError + Send + Sync>;

const USAGE: &str = "\
usage: CORP_ID=<id> SECRET=<secret> [BASE=<address>] cargo run -p wecom --example contact_way

  CORP_ID  the enterprise, such as ww5823bf96d3bd56c7
  SECRET   of an app with the customer-contact right
  BASE     where WeCom is, default https://qyapi.weixin.qq.com

One code is made and removed again. To try it without an enterprise, write a profile for the simulator:

  printf '[[corp]]\\nid = \"ww1\"\\nsecret = \"secret1\"\\nmore_members = 5\\n' > corp.toml
  cargo run -p wecom-sim -- serve --listen 127.0.0.1:8400 --profile corp.toml
  CORP_ID=ww1 SECRET=secret1 BASE=http://127.0.0.1:8400 cargo run -p wecom --example contact_way";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (Ok(corp), Ok(secret)) = (env::var("CORP_ID"), env::var("SECRET")) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&corp, &secret).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("failed: {}", told(&*failure));
            ExitCode::FAILURE
        }
    }
}

/// Returns the text of an error and of what caused it.
fn told(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(&format!(": {cause}"));
        next = cause.source();
    }
    text
}

async fn run(corp: &str, secret: &str) -> Result<(), Failure> {
    let mut builder = Client::builder(Credential::app(corp, secret)?);
    if let Ok(base) = env::var("BASE") {
        builder = builder.base_url(base);
    }
    let client = builder.build()?;

    let able = client.get_follow_user_list().await?;
    println!("{} members may have customers", able.len());
    let unfit = client.find_unfit(able.get(..3).unwrap_or(&able)).await?;
    let fit = able
        .iter()
        .take(3)
        .filter(|user| unfit.iter().all(|unfit| unfit.userid != **user));
    let fit = Users::new(fit.cloned())?;
    println!("{} of the first three are fit", fit.as_slice().len());

    let code = make(&client, &fit).await?;
    let lived = live(&client, &code, &fit).await;
    // Otherwise it would stay for ever: the console does not show it.
    client.del_contact_way(&code).await?;
    println!("removed");
    lived?;
    match client.get_contact_way(&code).await {
        Err(error) if error.class() == Class::CodeGone => println!("and gone: {error}"),
        Err(error) => return Err(error.into()),
        Ok(_) => return Err("it is still there".into()),
    }
    Ok(())
}

/// Makes a code, or finds the one that was made if the answer was lost.
async fn make(client: &Client<Https>, users: &Users) -> Result<ConfigId, Failure> {
    let clock = Clock::system();
    let begun = clock.calendar();
    // Nothing else tells the code from others if the answer is lost.
    let state = State::new(format!("example-{}", begun.as_millis()))?;
    let code = AddContactWay::multi(Scene::QrCode, Members::users(users.clone()))
        .state(state.clone())
        .remark(Remark::new("示例 example")?)
        .skip_verify(false);
    match client.add_contact_way(&code).await {
        Ok(added) => {
            println!("made {}", added.config_id);
            println!(
                "its picture is at {}",
                added.qr_code.as_deref().unwrap_or("-")
            );
            Ok(added.config_id)
        }
        Err(error) if error.may_have_been_applied() => {
            println!("{error}; looking for it");
            let minute = Duration::from_secs(60);
            let time = begun.saturating_sub(minute)..clock.calendar() + minute;
            let found = client.find_contact_ways(time, |code| code.state == state.as_str());
            let found = found.await?.into_iter().next().ok_or(error)?;
            println!("found {}", found.config_id);
            Ok(found.config_id)
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads the code, changes it, and reads it again.
async fn live(client: &Client<Https>, code: &ConfigId, users: &Users) -> Result<(), Failure> {
    tell(client, code).await?;
    let one = users.as_slice().first().cloned();
    let one: UserId = one.ok_or("a list of members is never empty")?;
    let change = UpdateContactWay::multi(code.clone())
        .user(Users::one(one))
        .remark(Patch::Clear)
        .skip_verify(true);
    client.update_contact_way(&change).await?;
    println!("changed");
    tell(client, code).await?;

    let nothing = UpdateContactWay::new(code.clone());
    if let Err(error) = client.update_contact_way(&nothing).await {
        println!("not even sent: {error}");
    }
    Ok(())
}

async fn tell(client: &Client<Https>, code: &ConfigId) -> Result<(), Error> {
    let code = client.get_contact_way(code).await?;
    println!(
        "it leads to {} members, is called {:?} and has the remark {:?}; skip_verify: {:?}",
        code.user.len(),
        code.state,
        code.remark,
        code.skip_verify
    );
    Ok(())
}
