//! The two scripts of the memo.

use super::*;

const LOOPS: u64 = 200;

/// Script A of the memo.
#[derive(Clone)]
struct ScriptA(Log<u8>);

/// Script B, which is blocked at first.
#[derive(Clone)]
struct ScriptB(Log<u8>, ProcessHandle);

impl Code for ScriptA {
    const NAME: &'static str = "script-a";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let step = |number| note(&self.0, number);
        let template = me.make_template(Node(0)).await?;
        let code = ScriptB(self.0.clone(), me.me());
        let b = me.make_process(template, Node(0), ProcessParams::default(), code).await?;
        me.block().await; // until B is about to block
        for _ in 0..LOOPS {
            step(1);
            me.wakeup(b).await?;
            step(2);
            me.block().await;
            step(5);
            me.wakeup(b).await?;
            step(6);
            me.block().await;
            step(11);
            assert_eq!(me.notify(EventId(10)).await, 1);
            step(12);
            me.block().await;
        }
        Ok(())
    }
}

impl Code for ScriptB {
    const NAME: &'static str = "script-b";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let step = |number| note(&self.0, number);
        let a = self.1;
        me.wakeup(a).await?;
        for _ in 0..LOOPS {
            me.block().await;
            step(3);
            me.wakeup(a).await?;
            step(4);
            me.block().await;
            step(7);
            me.wakeup(a).await?;
            step(8);
            assert_eq!(me.notify(EventId(10)).await, 0);
            step(9);
            me.add_event(EventId(10)).await?;
            step(10);
            me.wait_event(EventId(10)).await;
            step(13);
            assert_eq!(me.notify(EventId(11)).await, 0);
            step(14);
            me.add_event(EventId(11)).await?;
            step(15);
            assert!(me.del_event(EventId(11)).await);
            step(16);
            me.wait_event(EventId(11)).await;
            step(17);
            me.wakeup(a).await?;
            step(18);
        }
        Ok(())
    }
}

/// With equal real-time priorities on one processor nobody runs before the other waits, as in the memo.
#[test]
fn twin_paper_the_scripts_of_the_memo_run_through_in_its_order() {
    let memo: Vec<u8> = (0..LOOPS).flat_map(|_| 1..=18).collect();
    let (simulated, real) = (Log::default(), Log::default());
    simulate(ScriptA(Arc::clone(&simulated)));
    assert_eq!(*simulated.lock().unwrap(), memo);
    let settings = two_nodes().real_time(1);
    match windfall_processes::run(&settings, ScriptA(Arc::clone(&real))) {
        Ok(run) => ended(&run),
        Err(why) if why.to_string().contains("real-time priority") => {
            return windfall_skips::skip(windfall_skips::Needs::Real, why);
        }
        Err(why) => panic!("{why}"),
    }
    assert_eq!(*real.lock().unwrap(), memo);
}
