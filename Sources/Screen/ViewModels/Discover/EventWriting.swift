import NatterCore
import Text

/// Stores the events that the user plans, and has the rooms learn of theirs.
struct EventWriting {
  let page: EventsPage

  /// - Parameters:
  ///   - event: the one to change; `nil`: a new one.
  ///   - prompt: the form, which comes back if the plan cannot be stored.
  func put(_ plan: EventPlan, in event: CalendarEvent?, from prompt: PromptViewModel) {
    PromptWriting(shell: page.shell, prompt: prompt).perform { [self, page] onStored in
      let made =
        if let event {
          try await page.planner.change(event.id, to: plan) { _ in onStored() }
        } else {
          try await page.planner.make(plan) { _ in onStored() }
        }
      if event == nil { try await announce(made) }
      let key = made.change == nil ? "status.discover.planned" : "status.discover.postWaits"
      page.shell.show(StatusNotice(.info, key))
    }
  }

  /// Queues the message about a new event for its room.
  private func announce(_ event: CalendarEvent) async throws {
    guard let room = event.room else { return }
    _ = try await page.shell.ports.sender.send(
      page.localizer(
        "discover.events.message",
        [
          "name": page.name(of: event), "time": page.time(of: event),
          "address": page.address(of: event),
        ]), to: room)
  }
}
