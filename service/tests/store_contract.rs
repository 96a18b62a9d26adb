//! What every store does, tested on the one in memory and on the one in a real Redis; and what
//! each of them does beyond that.

#[cfg(test)]
#[path = "store_contract/changes.rs"]
mod changes;
#[cfg(test)]
#[path = "store_contract/deployments.rs"]
mod deployments;
#[cfg(test)]
#[path = "store_contract/listing.rs"]
mod listing;
#[cfg(test)]
#[path = "store_contract/live_games.rs"]
mod live_games;
#[cfg(test)]
#[path = "store_contract/measure.rs"]
mod measure;
#[cfg(test)]
#[path = "store_contract/memory_only.rs"]
mod memory_only;
#[cfg(test)]
#[path = "support/redis_cluster.rs"]
mod redis_cluster;
#[cfg(test)]
#[path = "store_contract/redis_connecting.rs"]
mod redis_connecting;
#[cfg(test)]
#[path = "store_contract/redis_keys.rs"]
mod redis_keys;
#[cfg(test)]
#[path = "store_contract/redis_lanes.rs"]
mod redis_lanes;
#[cfg(test)]
#[path = "store_contract/redis_outages.rs"]
mod redis_outages;
#[cfg(test)]
#[path = "store_contract/redis_outbox.rs"]
mod redis_outbox;
#[cfg(test)]
#[path = "support/redis_sentinel.rs"]
mod redis_sentinel;
#[cfg(test)]
#[path = "support/redis_server.rs"]
mod redis_server;
#[cfg(test)]
#[path = "store_contract/redis_timers.rs"]
mod redis_timers;
#[cfg(test)]
#[path = "store_contract/redis_wakes.rs"]
mod redis_wakes;
#[cfg(test)]
#[path = "store_contract/subject.rs"]
mod subject;
#[cfg(test)]
#[path = "store_contract/timers.rs"]
mod timers;
#[cfg(test)]
#[path = "store_contract/topics.rs"]
mod topics;
#[cfg(test)]
#[path = "store_contract/values.rs"]
mod values;
#[cfg(test)]
#[path = "store_contract/wakes.rs"]
mod wakes;

/// Makes a test of each behaviour for each store.
macro_rules! contract {
    ($($topic:ident :: $behaviour:ident),* $(,)?) => {
        /// Checks one behaviour after the other on a store that is emptied before each.
        #[cfg(test)]
        async fn every_behaviour(subject: &subject::Subject, clear: impl Fn()) {
            $(
                eprintln!("{}", stringify!($behaviour));
                clear();
                crate::$topic::$behaviour(subject).await;
            )*
        }

        #[cfg(test)]
        mod memory {
            use crate::subject::Subject;

            $(#[tokio::test]
            async fn $behaviour() {
                crate::$topic::$behaviour(&Subject::memory()).await;
            })*
        }

        #[cfg(test)]
        mod redis {
            use crate::subject::Subject;

            $(#[tokio::test]
            async fn $behaviour() {
                if let Some(subject) = Subject::redis().await {
                    crate::$topic::$behaviour(&subject).await;
                }
            })*
        }
    };
}

contract! {
    values::a_new_value_is_kept,
    values::an_existing_value_is_handed_back,
    values::values_come_in_the_order_asked_for,
    values::no_values_are_got_for_no_ids,
    values::the_expected_value_is_replaced,
    values::a_changed_value_is_handed_back,
    values::another_value_of_the_same_number_is_not_replaced,
    values::a_missing_value_is_not_replaced,
    values::concurrent_insertions_keep_one,
    values::concurrent_replacements_lose_nothing,
    values::any_bytes_are_kept,
    values::a_value_is_forgotten_after_its_time,
    values::a_forgotten_id_can_be_used_again,
    values::a_replacement_renews_the_time,
    values::a_replacement_can_shorten_the_time,
    values::very_long_times_are_kept,
    values::all_servers_share_a_secret,
    values::a_new_store_is_available,
    listing::the_list_is_newest_first,
    listing::games_of_one_millisecond_are_ordered_by_id,
    listing::pages_neither_skip_nor_repeat,
    listing::pages_of_one_millisecond_neither_skip_nor_repeat,
    listing::many_games_in_no_order_are_listed,
    listing::a_page_can_begin_where_no_game_is,
    listing::games_that_come_between_pages_do_not_disturb_them,
    listing::games_that_go_between_pages_do_not_disturb_them,
    listing::a_removed_game_is_kept_but_not_listed,
    listing::a_removed_game_stays_removed,
    listing::expired_games_make_room_in_the_page,
    listing::an_empty_page_can_be_asked_for,
    listing::games_are_counted,
    timers::all_servers_have_the_same_time,
    timers::time_passes,
    timers::nothing_is_due_at_first,
    timers::a_game_is_due_at_its_time_and_not_before,
    timers::a_claimed_game_is_nobody_elses_until_its_lease_is_over,
    timers::a_replacement_moves_the_timer,
    timers::a_replacement_without_a_timer_removes_it,
    timers::a_replacement_that_is_not_done_leaves_the_timer,
    timers::a_deleted_game_has_no_timer,
    timers::a_timer_can_be_moved_without_a_write,
    timers::a_timer_of_another_version_is_not_moved,
    timers::a_game_that_has_expired_is_not_due,
    timers::many_servers_claim_each_game_once,
    timers::claims_are_bounded,
    timers::who_is_not_heard_of_in_time_is_absent,
    timers::who_is_heard_of_is_not_absent,
    timers::who_need_not_be_heard_of_is_never_absent,
    timers::a_replacement_keeps_moves_and_removes_signs,
    topics::a_game_is_listed_under_each_of_its_topics,
    topics::a_replacement_changes_the_lists,
    topics::a_write_that_is_not_done_tells_nothing,
    topics::a_list_of_a_topic_is_read_page_by_page,
    topics::games_that_are_gone_can_be_taken_out_of_a_list,
    live_games::live_games_are_counted_up_to_the_limit,
    live_games::a_game_that_is_counted_no_more_makes_room,
    live_games::a_game_is_counted_under_one_time,
    changes::every_write_is_in_the_log,
    changes::what_is_not_done_is_not_in_the_log,
    changes::the_log_is_read_page_by_page,
    changes::the_log_tells_what_the_lists_are_told,
    changes::a_place_in_no_log_is_told_to_have_missed_something,
    changes::a_log_that_is_too_long_is_told_to_have_missed_something,
    wakes::a_replacement_wakes,
    wakes::a_replacement_by_another_server_wakes,
    wakes::all_watchers_of_a_game_are_woken,
    wakes::many_replacements_may_be_one_wake,
    wakes::no_wake_is_lost_between_subscribing_and_reading,
    wakes::a_subscription_can_be_made_before_the_value,
    wakes::a_game_can_be_watched_again,
}
