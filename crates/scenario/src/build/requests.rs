//! Control requests, those for several threads one by one, in order of time.

use super::Builder;
use super::programs::Numbers;
use crate::model::{Change, Parent, Requirements, Scenario, Scheduler, Whom};
use crate::parameters;
use crate::plan::PlannedRequest;
use crate::source::Path;
use windfall_hierarchy::Message;
use windfall_schedulers::parameters::Rate;
use windfall_time::Instant;

impl Builder<'_> {
    pub(super) fn requests(&mut self) -> Vec<(Instant, PlannedRequest)> {
        let scenario = self.scenario;
        let numbers = Numbers::of(scenario);
        let mut planned: Vec<(Instant, PlannedRequest)> = Vec::new();
        for (number, request) in scenario.requests.iter().enumerate() {
            let path = Path::of(&["at"]).item(number);
            let list = self.request(&request.change, &path, &numbers).into_iter();
            planned.extend(list.map(|planned| (request.time, planned)));
            if !scenario.under_way {
                planned.push((request.time, PlannedRequest::Promises(Box::default())));
            }
        }
        planned.sort_by_key(|(time, _)| *time);
        // Like the requests, these are in order of time.
        let changes = if scenario.under_way { Vec::new() } else { scenario.promise_changes() };
        let mut changes = changes.into_iter();
        for (_, request) in &mut planned {
            if let PlannedRequest::Promises(planned) = request {
                changes.next().into_iter().for_each(|change| **planned = change);
            }
        }
        planned
    }

    /// The planned requests of a change: several if it is about several threads.
    // Length: a table: what each request becomes.
    fn request(
        &mut self,
        change: &Change,
        path: &Path,
        numbers: &Numbers<'_>,
    ) -> Vec<PlannedRequest> {
        match change {
            Change::Create(scheduler) => {
                let path = path.key("with");
                self.created(scheduler, &path).into_iter().collect()
            }
            Change::Destroy(name) => vec![PlannedRequest::Destroy(name.clone())],
            Change::Default(name) => vec![PlannedRequest::Default(name.clone())],
            Change::Move { thread, to, requires } => self.moved(thread, to, requires, numbers),
            Change::MoveScheduler { own, to, requires } => {
                let messages = self.parent_messages(requires, to);
                let (own, to) = (own.clone(), to.name().map(str::to_owned));
                vec![PlannedRequest::MoveScheduler { own, to, messages }]
            }
            Change::AddParent { scheduler, to, requires } => {
                let messages = self.parent_messages(requires, to);
                let (scheduler, to) = (scheduler.clone(), to.name().map(str::to_owned));
                vec![PlannedRequest::AddParent { scheduler, to, messages }]
            }
            Change::RemoveParent(scheduler, own) => {
                vec![PlannedRequest::RemoveParent(scheduler.clone(), *own)]
            }
            Change::Transaction(parts) => {
                let part = |(number, part): (usize, &Change)| {
                    self.request(part, &path.key("requests").item(number), numbers)
                };
                let parts = parts.iter().enumerate().flat_map(part).collect();
                vec![PlannedRequest::Transaction(parts)]
            }
            Change::Set(whom, parameter, value) => {
                let parent = self.scenario.parent_of_whom(whom);
                match self.writer.message(parameter, *value, parent) {
                    Ok(message) => {
                        message.map_or_else(Vec::new, |one| numbers.messages_to(whom, one))
                    }
                    Err((code, key, message, help)) => {
                        let path = path.key(key);
                        self.wrong(code, &[path], format!("{message}; {help}"), None);
                        Vec::new()
                    }
                }
            }
            Change::Guarantee(whom, guarantee) => {
                let parent = self.scenario.parent_of_whom(whom);
                let requires = Requirements::guarantee(*guarantee);
                let requested = self.writer.messages(&requires, parent).unwrap_or_default();
                requested
                    .into_iter()
                    .flat_map(|(_, message)| numbers.messages_to(whom, message))
                    .collect()
            }
            Change::Unreserve(whom) => numbers.messages_to(whom, Message::Unreserve),
            Change::Quantum(name, quantum) => {
                vec![PlannedRequest::Configure(name.clone(), Message::Quantum(*quantum))]
            }
            Change::Transfer { from, to, work } => {
                let way = self.scenario.way_between(from, to);
                let moved =
                    |(name, own)| PlannedRequest::Scheduler(name, own, Message::Transfer(*work));
                way.map(moved).into_iter().collect()
            }
            Change::Enqueue { queue, datum } => {
                vec![PlannedRequest::Enqueue(queue.clone(), *datum)]
            }
            Change::Timer(timer) => vec![PlannedRequest::Timer(*timer)],
        }
    }

    fn moved(
        &mut self,
        thread: &str,
        to: &str,
        requires: &Requirements,
        numbers: &Numbers<'_>,
    ) -> Vec<PlannedRequest> {
        let scenario = self.scenario;
        let requested = self.parameters(requires, to);
        let entry = scenario.threads.iter().find(|other| crate::check::means(thread, other));
        let rate = entry
            .and_then(|entry| parameters::rate(scenario, &entry.run, requires, to))
            .map(Rate::message);
        let messages: Vec<Message> =
            requested.into_iter().map(|(_, message)| message).chain(rate).collect();
        let threads = numbers.threads(thread, None).into_iter();
        let moved = threads.map(|thread| PlannedRequest::Move {
            thread,
            to: to.to_owned(),
            messages: messages.clone(),
        });
        moved.collect()
    }

    /// The parameters of a scheduler at a parent.
    fn parent_messages(&self, requires: &Requirements, parent: &Parent) -> Vec<Message> {
        let requested = self.writer.messages(requires, parent.name()).unwrap_or_default();
        requested.into_iter().map(|(_, message)| message).collect()
    }

    fn created(&mut self, scheduler: &Scheduler, path: &Path) -> Option<PlannedRequest> {
        let (kind, instance) = self.instance(scheduler, path)?;
        let owns = scheduler.owns.iter().map(|own| {
            let messages = self.parent_messages(&own.requires, &own.parent);
            (own.parent.name().map(str::to_owned), messages)
        });
        let owns = owns.collect();
        let name = scheduler.name.clone();
        Some(PlannedRequest::Create { name, kind, scheduler: instance, owns })
    }
}

impl Numbers<'_> {
    /// A message to each thread of a name, or to a scheduler.
    fn messages_to(&self, whom: &Whom, message: Message) -> Vec<PlannedRequest> {
        match whom {
            Whom::Thread(name) => {
                let threads = self.threads(name, None).into_iter();
                threads.map(|thread| PlannedRequest::Thread(thread, message)).collect()
            }
            Whom::Scheduler(name, own) => {
                vec![PlannedRequest::Scheduler(name.clone(), *own, message)]
            }
        }
    }
}

impl Scenario {
    /// The scheduler that a request for a thread, or for a scheduler's own virtual processor, goes to;
    /// `None` for the top, and for a name that does not exist.
    pub(crate) fn parent_of_whom(&self, whom: &Whom) -> Option<&str> {
        match whom {
            Whom::Thread(name) => {
                let mut threads = self.threads.iter();
                let thread = threads.find(|thread| crate::check::means(name, thread))?;
                super::parent_of(self, thread)
            }
            Whom::Scheduler(name, own) => {
                let scheduler = self.all_schedulers().find(|scheduler| scheduler.name == *name)?;
                scheduler.owns.get(usize::from(*own))?.parent.name()
            }
        }
    }
}
