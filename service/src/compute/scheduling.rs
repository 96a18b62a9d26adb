//! How the threads of pools step back behind those that serve connections, so that calls that take
//! microseconds do not wait for searches.

use clap::ValueEnum;

/// How threads that compute share processors with all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Scheduling {
    /// They get a third where all processors are busy, whoever else runs there. Nine tenths of
    /// ListLegalMoves are answered within 0.2 ms then.
    #[default]
    Nice,
    /// They run where nothing else does (SCHED_IDLE), and stop at once when a thread that serves a
    /// connection has something to do. For containers and machines of their own: beside other busy
    /// programs in the same group, searches would get next to nothing.
    Idle,
}

/// A step of niceness is worth a fifth of a thread's share.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

impl Scheduling {
    /// Applies it to the calling thread and those that it starts. Without it, or where it is
    /// refused, calls are only slower.
    pub(super) fn apply(self) {
        #[cfg(target_os = "linux")]
        match self {
            Self::Nice => drop(rustix::process::nice(NICENESS)),
            Self::Idle => drop(idle()),
        }
    }
}

#[cfg(target_os = "linux")]
fn idle() -> Result<(), thread_priority::Error> {
    use thread_priority::{
        NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
        set_thread_priority_and_policy, thread_native_id,
    };
    set_thread_priority_and_policy(
        thread_native_id(),
        ThreadPriority::Min,
        ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle),
    )
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// The scheduling policy of the calling thread, as the kernel says.
    fn policy() -> String {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // The name of the thread, in parentheses, is the second field; the policy is the 41st.
        let (_, fields) = stat.rsplit_once(')').unwrap();
        fields.split_whitespace().nth(38).unwrap().to_owned()
    }

    #[test]
    fn the_kernel_is_told() {
        let policy_with = |scheduling: Scheduling| {
            let thread = std::thread::spawn(move || {
                scheduling.apply();
                policy()
            });
            thread.join().unwrap()
        };
        // SCHED_OTHER and SCHED_IDLE.
        assert_eq!(policy_with(Scheduling::Nice), "0");
        assert_eq!(policy_with(Scheduling::Idle), "5");
    }
}
