//! The incoming list and its answers, in all interleavings of submitters and the owner.

use super::model;
use core::task::{Context, Poll, Waker};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use windfall_exchange::{Incoming, ReplySender, reply};

/// Each item is taken once, those of one sender in order; what is refused is given back, and never more fits than may.
#[test]
fn law_each_item_is_taken_once_or_given_back() {
    model(Some(3), || {
        let list = Arc::new(Incoming::new(2));
        let senders: Vec<_> = [10, 20]
            .into_iter()
            .map(|first| {
                let list = list.clone();
                thread::spawn(move || {
                    let sent = [first, first + 1].map(|item| (list.send(item), item));
                    sent.into_iter()
                        .filter(|(sent, _)| sent.is_ok())
                        .map(|(_, item)| item)
                        .collect()
                })
            })
            .collect();
        let mut taken = list.take();
        let sent: Vec<Vec<u32>> = senders.into_iter().map(|one| one.join().unwrap()).collect();
        taken.extend(list.take());
        for (first, sent) in [10, 20].into_iter().zip(&sent) {
            let its: Vec<u32> =
                taken.iter().copied().filter(|item| item / 10 == first / 10).collect();
            assert_eq!(its, *sent);
        }
        assert!(taken.len() >= 2 && list.send(1).is_ok());
    });
}

struct Flag(AtomicBool);

impl std::task::Wake for Flag {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Whoever was told to wait is woken, and then has the answer; also if it never comes.
#[test]
fn law_an_answer_is_had_or_wakes() {
    for answers in [true, false] {
        model(None, move || {
            let (sender, mut reply) = reply();
            let other = thread::spawn(move || {
                if answers {
                    sender.send(7);
                } else {
                    drop(sender);
                }
            });
            let flag = std::sync::Arc::new(Flag(AtomicBool::new(false)));
            let waker = Waker::from(flag.clone());
            let polled = reply.poll(&mut Context::from_waker(&waker));
            let again = match polled {
                Poll::Ready(_) => polled,
                Poll::Pending => reply.poll(&mut Context::from_waker(&waker)),
            };
            other.join().unwrap();
            let expected = answers.then_some(7);
            match again {
                Poll::Ready(answer) => assert_eq!(answer, expected),
                Poll::Pending => {
                    assert!(flag.0.load(Ordering::SeqCst));
                    assert_eq!(reply.take(), Some(expected));
                }
            }
        });
    }
}

/// Submitters send, and look for their answers without waiting; the list is dropped before all of it was analysed.
#[test]
fn law_each_submission_is_answered_also_when_the_list_is_dropped() {
    model(Some(2), || {
        let list = Arc::new(Incoming::<(u32, ReplySender<u32>)>::new(2));
        let submitters: Vec<_> = [1, 2]
            .into_iter()
            .map(|number| {
                let list = list.clone();
                thread::spawn(move || {
                    let (sender, reply) = reply();
                    assert!(list.send((number, sender)).is_ok());
                    (number, reply)
                })
            })
            .collect();
        for (number, sender) in list.take() {
            sender.send(number + 10);
        }
        let ends: Vec<_> = submitters.into_iter().map(|one| one.join().unwrap()).collect();
        drop(list);
        for (number, mut reply) in ends {
            let answer = reply.take();
            assert!(answer == Some(Some(number + 10)) || answer == Some(None), "{answer:?}");
        }
    });
}
