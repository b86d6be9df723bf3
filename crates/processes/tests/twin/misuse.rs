//! Misuse, and bodies that fail: refused alike on both hosts.

use super::*;

/// Every misuse, and what it is answered.
#[derive(Clone)]
struct Clumsy(Log<String>);

#[derive(Clone)]
struct Owner(ProcessHandle, Queue);

impl Code for Owner {
    const NAME: &'static str = "owner";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let [shown, stands] = [me.make_event().await?, me.make_event().await?];
        me.enqueue(self.1, shown.datum()).await?;
        me.wakeup(self.0).await?;
        me.block().await;
        me.dequeue(self.1, stands).await?; // it dies standing there
        me.wakeup(self.0).await?;
        Ok(())
    }
}

impl Code for Clumsy {
    const NAME: &'static str = "clumsy";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let this = me.me();
        macro_rules! told {
            ($call:expr) => {{
                let answer = $call.await;
                note(&self.0, format!("{answer:?}"));
                answer
            }};
        }
        let _ = told!(me.wait());
        let queue = me.make_queue(Node(0), 1).await?;
        let template = me.make_template(Node(0)).await?;
        let owner = Owner(this, queue);
        let owner = me.make_process(template, Node(0), ProcessParams::default(), owner).await?;
        me.block().await;
        let [event, other] = [me.make_event().await?, me.make_event().await?];
        let foreign = Event::from_datum(me.take(queue, event).await?);
        let _ = told!(me.reset(foreign));
        let _ = told!(me.mwait(&[]));
        let _ = told!(me.mwait(&[event, foreign]));
        let _ = told!(me.post_at(foreign, 1, Instant::ZERO));
        let _ = told!(me.post(event, 1));
        let _ = told!(me.post(event, 2));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.test(event));
        let _ = told!(me.wait());
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.post(event, 3));
        let _ = told!(me.delete(queue));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.reset(event));
        let _ = told!(me.enqueue(queue, 4));
        let _ = told!(me.enqueue(queue, 5));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.delete(other));
        let _ = told!(me.post(other, 1));
        let _ = told!(me.make_queue(Node(9), 1));
        let _ = told!(me.make_queue(Node(0), 0));
        let _ = told!(me.post(Event::from_handle(queue.handle()), 1));
        let _ = told!(me.delete(this));
        let _ = told!(me.add_event(EventId(1)));
        let _ = told!(me.add_event(EventId(1)));
        let _ = told!(me.del_event(EventId(1)));
        let _ = told!(me.del_event(EventId(1)));
        let params = ProcessParams::new(4);
        let _ = told!(me.make_process(template, Node(0), params, Owner(this, queue)));
        let wrong = windfall_programs::Template::<Sink>::from_handle(template.handle());
        let code = Sink { queue, log: Log::default() };
        let _ = told!(me.make_process(wrong, Node(0), ProcessParams::default(), code));
        let far = me.now().await + Span::from_secs(1_000);
        me.post_at(event, 1, far).await?;
        let again =
            matches!(me.post_at(event, 2, far).await, Err(ProcessError::AlreadyTimed { .. }));
        note(&self.0, format!("{again}"));
        let _ = told!(me.cancel(event));
        let _ = told!(me.cancel(event));
        me.wakeup(owner).await?;
        me.block().await;
        // Its last wake-up came before its end.
        while me.wakeup(owner).await.is_ok() {
            let now = me.now().await;
            me.sleep_until(now + us(100)).await;
        }
        let _ = told!(me.enqueue(queue, 6));
        let _ = told!(me.enqueue(queue, 7));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.wakeup(owner));
        let _ = told!(me.post(foreign, 1));
        let _ = told!(me.delete(queue));
        let _ = told!(me.enqueue(queue, 8));
        let _ = told!(me.delete(template));
        let _ = told!(me.delete(template));
        Ok(())
    }
}

#[test]
fn twin_misuse_is_refused_alike() {
    let [simulated, real] = twin(Clumsy);
    let places = simulated.iter().zip(&real).enumerate();
    for (place, (simulated, real)) in places {
        assert_eq!(simulated, real, "answer {place}");
    }
    assert_eq!(simulated.len(), real.len());
}

/// Fails in every way in which a body can.
#[derive(Clone)]
struct Failing(u8);

impl Code for Failing {
    const NAME: &'static str = "failing";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        match self.0 {
            0 => me.mwait(&[]).await.map(|_| ()),
            1 => {
                std::future::pending::<()>().await;
                Ok(())
            }
            _ => panic!("on purpose"),
        }
    }
}

#[test]
fn refuses_bodies_that_cannot_go_on_and_says_why() {
    for (way, why) in [
        (0, "the set of events to wait for is empty"),
        (1, "nobody would wake it"),
        (2, "panicked"),
    ] {
        let run = windfall_processes::run(&two_nodes(), Failing(way)).unwrap();
        assert_eq!(run.failures.len(), 1);
        assert!(run.failures[0].why.contains(why), "{}", run.failures[0].why);
    }
}
