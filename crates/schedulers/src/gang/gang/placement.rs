//! Places the members of the current row on processors, and withdraws gangs for which there are too few.

use super::{RETRIES, RETRY, SETTLED, State, own_of, owns};
use windfall_hierarchy::{ChildVp, Context, OwnVp, VpState};
use windfall_time::Span;

impl State {
    /// Grants processors to the ready members of the current row that are not withheld, if necessary those of
    /// alternatives. Returns the number of members without a processor.
    pub(super) fn place(&mut self, context: &mut Context<'_>) -> usize {
        let Some(row) = self.present else {
            return 0;
        };
        let mut missing = 0;
        let mut from = 0;
        for column in 0..context.owns() {
            let Some(child) = self.matrix.cells(row)[column] else {
                continue;
            };
            if context.child(child) != VpState::Ready || self.withheld[child.index()] {
                continue;
            }
            let own = own_of(column);
            let place = if self.is_free(own, context) {
                Some(own)
            } else {
                let free = (from..context.owns()).find(|at| self.is_free(own_of(*at), context));
                from = free.unwrap_or(context.owns());
                free.map(own_of)
            };
            let Some(own) = place else {
                missing += 1;
                continue;
            };
            if let Some(other) = context.held_by(own) {
                context.revoke(other);
                self.sort(other, context);
            }
            context.grant(child, own);
        }
        missing
    }

    /// Whether a member of the current row may take this processor: no child holds it, or an alternative does.
    pub(super) fn is_free(&self, own: OwnVp, context: &Context<'_>) -> bool {
        matches!(context.own(own), VpState::Running(_))
            && context.held_by(own).is_none_or(|child| !self.is_present(child))
    }

    /// Continues when all requests have been answered: requests another processor, since each own VP may have
    /// another parent; or withdraws incomplete gangs, and requests that are not needed. If the event goes round, these stay until
    /// they are granted, and are released then (as in `Pool::trim`).
    pub(super) fn settle(&mut self, context: &mut Context<'_>) {
        let withheld = |child: &ChildVp| self.withheld[child.index()];
        let ready = |child: &ChildVp| context.child(*child) == VpState::Ready;
        let members = self.present.map_or(&[][..], |row| self.matrix.cells(row)).iter().flatten();
        let unseated = members.clone().filter(|child| ready(child) && !withheld(child)).count();
        let absent = members.filter(|child| withheld(child)).count();
        let waiting = owns(context).find(|own| context.own(*own) == VpState::Waiting);
        if unseated + self.others.len() > 0
            && let Some(own) = waiting
        {
            context.request(own);
            return context.set_timer(SETTLED, Some(context.now()));
        }
        if unseated > 0 && !self.partial {
            self.withdraw_broken(context);
        }
        let idle = unseated + absent + self.others.len() == 0 && !context.view().goes_round();
        for own in owns(context) {
            match context.own(own) {
                VpState::Ready if idle => context.release(own),
                VpState::Running(_) if context.held_by(own).is_none() => match self.others.pop() {
                    Some((_, child)) => context.grant(ChildVp(child), own),
                    None => context.release(own),
                },
                _ => {}
            }
        }
    }

    /// Withdraws all gangs of the current row in which a member has no processor.
    pub(super) fn withdraw_broken(&mut self, context: &mut Context<'_>) {
        let Some(row) = self.present else {
            return;
        };
        for column in 0..context.owns() {
            if let Some(child) = self.matrix.cells(row)[column]
                && context.child(child) == VpState::Ready
                && !self.withheld[child.index()]
            {
                self.withdraw(child, context);
            }
        }
    }

    /// Withdraws a child's gang: takes the processors from all members.
    pub(super) fn withdraw(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.withdrawn = Some(context.now());
        let wait = Span::from_nanos((self.quantum.as_nanos() / RETRIES).max(1));
        context.set_timer(RETRY, Some(context.now().saturating_add(wait)));
        let row = self.matrix.row_of(child);
        for column in 0..context.owns() {
            if let Some(member) = self.matrix.cells(row)[column]
                && self.matrix.together(member, child)
            {
                self.withheld[member.index()] = true;
                if matches!(context.child(member), VpState::Running(_)) {
                    context.revoke(member);
                }
            }
        }
    }

    /// Lets withdrawn gangs of the current row try again, because something has changed.
    pub(super) fn relent(&mut self, context: &mut Context<'_>) {
        if self.partial || self.withdrawn == Some(context.now()) {
            return;
        }
        if let Some(row) = self.present {
            self.sort_row(row, context);
        }
    }
}
