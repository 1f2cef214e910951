import NatterCore
import Text

/// A remote command, step by step in one form: its fields, back and next, its results (XEP-0050).
package final class RemoteCommandViewModel {
  package let form: FormViewModel
  /// Closes the form.
  package var close: () -> Void = {}

  private let service: any RemoteCommandRunning
  private let localizer: Localizer
  private let lifetime: Lifetime
  private var stage: RemoteCommandStage
  private var rows: DataFormRows?
  /// The number of the step, which makes its rows' ids unique.
  private var step = 0

  /// - Parameter stage: the stage after the first step.
  package init(
    _ stage: RemoteCommandStage, service: any RemoteCommandRunning, localizer: Localizer,
    lifetime: Lifetime
  ) {
    self.stage = stage
    self.service = service
    self.localizer = localizer
    self.lifetime = lifetime
    form = FormViewModel(title: stage.command.name, fields: [])
    show(stage)
    // The form keeps this model alive while it is shown, and releases it when it is closed.
    form.onPress = { self.press($0) }
    form.onCancel = { self.leave() }
  }

  private func show(_ stage: RemoteCommandStage) {
    self.stage = stage
    step += 1
    rows = stage.form.map { DataFormRows($0, stem: "step \(step)", localizer: localizer) }
    var fields = stage.notes.enumerated().map {
      FormField(.paragraph, "note \(step) \($0.offset)", label: $0.element)
    }
    if let rows { fields += stage.isOpen ? rows.rows : rows.lines }
    if fields.isEmpty {
      fields.append(
        FormField(
          .paragraph, "empty \(step)",
          label: localizer(stage.isOpen ? "remote.nothingAsked" : "remote.done")))
    }
    fields.append(FormField(.spacer, "gap"))
    func button(_ id: String) {
      fields.append(FormField(.button, id, label: localizer("remote.\(id)")))
    }
    if stage.isOpen {
      if stage.steps.contains(.previous) { button("previous") }
      if stage.steps.contains(.next) { button("next") }
      if stage.steps.contains(.complete) { button("complete") }
      fields.append(FormField(.button, "cancel", label: localizer("dialog.cancel")))
    } else {
      button("close")
    }
    let preferred = stage.isOpen ? stage.preferred.rawValue : "close"
    form.defaultButton = preferred
    form.keyHints = [
      localizer.hint(stage.isOpen ? "remote.keysGoOn" : "remote.keysClose"),
      localizer.wayOut("dialog.keysClose"),
    ]
    form.message = nil
    form.replace(
      title: stage.command.name, fields: fields,
      focus: fields.first { $0.isFocusable }?.id ?? preferred)
  }

  private func press(_ id: FormField.ID) {
    guard stage.isOpen, let next = RemoteCommandStage.Step(rawValue: id) else { return leave() }
    form.clearErrors()
    let missing = next == .previous ? [] : rows?.missing(in: form) ?? []
    if let first = missing.first {
      for id in missing { form.update(id) { $0.error = localizer("remote.required") } }
      return form.focus(on: first)
    }
    let answers = rows?.answers(in: form) ?? [:]
    form.isBusy = true
    form.message = FormMessage(.progress, [localizer("remote.waiting")])
    lifetime.aside { [self, stage] in
      do {
        let after = try await service.go(next, from: stage, answers: answers)
        form.isBusy = false
        show(after)
      } catch {
        form.isBusy = false
        form.message = FormMessage(
          .error, [localizer(NatterError(reporting: error, key: "error.unexpected"))])
      }
    }
  }

  /// Closes the form, and cancels an unfinished command at the responder.
  private func leave() {
    close()
    form.onPress = { _ in }
    form.onCancel = {}
    guard stage.isOpen else { return }
    lifetime.aside { [service, stage] in
      // The response to a cancellation has no consumer.
      try? await service.cancel(stage)
    }
  }
}
