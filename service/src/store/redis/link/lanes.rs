//! More connections to the server that a link leads to: one for each runtime that sends commands,
//! driven there.
//!
//! A command on a connection of another thread wakes that thread, and its answer wakes this one.
//! On a connection of its own a thread writes the commands of all its calls at once, and reads
//! their answers at once.
//!
//! They are no more than shortcuts. Whatever is wrong with one of them, it is given up, and
//! commands take the main connection of the link until there is another; they are all given up
//! with that one.

use std::collections::HashMap;

use redis::aio::MultiplexedConnection;
use tokio::runtime;

/// The connections of the runtimes.
#[derive(Debug, Default)]
pub(super) struct Lanes(HashMap<runtime::Id, Lane>);

#[derive(Debug)]
enum Lane {
    /// Somebody makes it.
    Making,
    Open(MultiplexedConnection),
    /// It could not be made, or was lost.
    Shut,
}

/// What a runtime is to do that wants to send a command.
#[derive(Debug)]
pub(super) enum Way {
    /// Take its connection.
    Lane(MultiplexedConnection),
    /// Take the main one.
    Main,
    /// Take the main one, and make one of its own.
    MainFirst,
}

impl Lanes {
    /// The way of the commands of a runtime. Who is told to make a connection has to.
    pub(super) fn way(&mut self, runtime: runtime::Id) -> Way {
        match self.0.get(&runtime) {
            Some(Lane::Open(connection)) => Way::Lane(connection.clone()),
            Some(Lane::Making | Lane::Shut) => Way::Main,
            None => {
                self.0.insert(runtime, Lane::Making);
                Way::MainFirst
            }
        }
    }

    pub(super) fn open(&mut self, runtime: runtime::Id, connection: MultiplexedConnection) {
        self.0.insert(runtime, Lane::Open(connection));
    }

    /// Gives the connection of a runtime up, until [`renew`](Self::renew).
    pub(super) fn shut(&mut self, runtime: runtime::Id) {
        self.0.insert(runtime, Lane::Shut);
    }

    /// Lets those be made anew that were given up.
    pub(super) fn renew(&mut self) {
        self.0.retain(|_, lane| !matches!(lane, Lane::Shut));
    }

    /// Those that are open.
    pub(super) fn opened(&self) -> Vec<(runtime::Id, MultiplexedConnection)> {
        let open = |(runtime, lane): (&runtime::Id, &Lane)| match lane {
            Lane::Open(connection) => Some((*runtime, connection.clone())),
            Lane::Making | Lane::Shut => None,
        };
        self.0.iter().filter_map(open).collect()
    }
}
