import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The own profile: one field per row, each changed and saved by itself.
///
/// Lists to choose from are requested by name: their module is independent of this page.
package final class ProfileViewModel: ValueListing {
  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  private let shell: ShellViewModel
  private let service: any OwnProfileEditing
  private let mediator: Mediator
  private let readPicture: (String) throws -> OwnPicture
  private var profile = OwnProfile()
  /// The values being sent to the server.
  private var saving: [PersonCard.Field: String] = [:]
  /// The reasons why fields could not be changed.
  private var errors: [PersonCard.Field: String] = [:]
  private var isChoosingVisibility = false
  private var visibilityError = ""
  private var selected = 0 { didSet { if selected != oldValue { invalidation.raise() } } }

  /// The text of the picture's row after a change.
  private var pictureText: String?
  private var ownPicture: AvatarPicture?
  /// The own picture, once the user has opened the page.
  private var portrait: PictureFile?
  private var pictureError = ""

  /// The rows after the fields.
  private static let visibility = "visibility"
  private static let pictureRow = "picture"
  private static let fields: [PersonCard.Field] = [
    .nickname, .fullName, .birthday, .organisation, .email, .phone, .web, .note, .street, .postcode,
    .region, .country, .city,
  ]

  /// - Parameters:
  ///   - mediator: provides `places/country` and `places/city`, if there are such lists.
  ///   - readPicture: reads a picture from the file at a path, or throws a `NatterError` with the
  ///     reason.
  package init(
    shell: ShellViewModel, profile: any OwnProfileEditing, mediator: Mediator,
    readPicture: @escaping (String) throws -> OwnPicture
  ) {
    self.readPicture = readPicture
    self.shell = shell
    service = profile
    self.mediator = mediator
    shell.follow { [weak self] in self?.handle($0) }
    reload()
    refresh()
  }

  private var localizer: Localizer { shell.format.localizer }

  private func handle(_ event: DomainEvent) {
    switch event {
    case .cardChanged(let jid) where jid == shell.format.account.bare: reload()
    case .connectionChanged(let state) where state.isOnline: refresh()
    default: break
    }
  }

  private func reload() {
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
      if let people = shell.ports.people {
        ownPicture = try? await people.describing.details(of: shell.format.account).avatar
        portrait = nil
        if let ownPicture { portrait = await shell.picture(of: ownPicture) }
      }
      do { show(try await service.profile()) } catch { shell.report(error) }
    }
  }

  /// Queries the server; without an answer the stored profile stays.
  private func refresh() {
    guard shell.connectionState.isOnline else { return }
    shell.lifetime.aside { [weak self, service] in
      guard let fresh = try? await service.refreshed() else { return }
      self?.show(fresh)
    }
  }

  private func show(_ profile: OwnProfile) {
    self.profile = profile
    invalidation.raise()
  }

  // MARK: Rows

  package var title: String { shell.titled(localizer("profile.title")) }
  package var picture: PictureFile? { portrait }

  package var items: [ValueItem] {
    var items = Self.fields.map { field in
      var item = ValueItem(
        id: field.rawValue, title: localizer("profile.field.\(field.rawValue)"),
        value: shown(field))
      item.isChanged = !shown(field).isEmpty
      if item.value.isEmpty { item = item.with(value: localizer("settings.none")) }
      if let error = errors[field] {
        item.note = error
        item.isWrong = true
      } else if saving[field] != nil {
        item.note = localizer("profile.saving")
      } else if profile.waiting.contains(field) {
        item.note = localizer("profile.waiting")
      }
      return item
    }
    var item = ValueItem(
      id: Self.visibility, title: localizer("profile.visibility"),
      value: profile.visibility.map { localizer("profile.visibility.\($0.rawValue)") }
        ?? localizer("profile.visibility.unknown"))
    item.note =
      isChoosingVisibility
      ? localizer("profile.saving")
      : visibilityError.isEmpty && profile.visibilityWaits
        ? localizer("profile.waiting") : visibilityError
    item.isWrong = !isChoosingVisibility && !visibilityError.isEmpty
    items.append(item)
    var row = ValueItem(
      id: Self.pictureRow, title: localizer("profile.picture"),
      value: pictureText ?? shownPicture ?? localizer("settings.none"))
    row.note =
      pictureError.isEmpty && profile.waitingPicture != nil
      ? localizer("profile.waiting") : pictureError
    row.isWrong = !pictureError.isEmpty
    items.append(row)
    items[selected].isSelected = true
    return items
  }

  package var help: [String] {
    let readAt =
      profile.readAt.map {
        localizer(
          "profile.readAt",
          ["time": shell.format.day($0, now: shell.now()) + " " + shell.format.time($0)])
      } ?? localizer("profile.neverRead")
    let lines =
      field.map { [errors[$0] ?? "", localizer("profile.field.\($0.rawValue)-help")] }
      ?? (selected == Self.fields.count
        ? [visibilityError, localizer("profile.visibility-help")]
        : [pictureError, localizer("profile.picture-help")])
    return (lines + [readAt]).filter { !$0.isEmpty }
  }

  private var field: PersonCard.Field? {
    Self.fields.indices.contains(selected) ? Self.fields[selected] : nil
  }

  private func shown(_ field: PersonCard.Field) -> String { saving[field] ?? profile.card[field] }

  // MARK: User input

  package func select(_ id: ValueItem.ID) {
    if let index = items.firstIndex(where: { $0.id == id }) { selected = index }
  }

  package func select(key: String) { select(key) }

  package func moveSelection(_ step: Int) {
    let last = Self.fields.count + 1
    selected = step == .min ? 0 : step == .max ? last : min(last, max(0, selected + step))
  }

  package func open() {
    switch field {
    case .country:
      ask("places/country", ["selected": shown(.country)], for: .country)
    case .city:
      ask("places/city", ["country": shown(.country), "selected": shown(.city)], for: .city)
    case let field?: type(into: field)
    case nil: if selected == Self.fields.count { chooseVisibility() } else { askForPicture() }
    }
  }

  package func turn(_ step: Int) {}

  package var isEditable: Bool { true }

  /// Handles `e`: all fields in one form, of which nothing is published before Save.
  package func edit() {
    var card = profile.card
    for (field, text) in saving { card[field] = text }
    let all = ProfileForm(
      card: card, visibility: profile.visibility, mediator: mediator, localizer: localizer)
    all.onSave = { [weak self] changes, visibility in
      for (field, text) in changes { self?.change(field, to: text, asksForCity: false) }
      if let visibility { self?.setVisibility(visibility) }
    }
    all.close = shell.actions.showForm(all.form)
  }

  /// Handles Del: removes the field.
  package func reset() {
    if let field, !shown(field).isEmpty { change(field, to: "") }
    if selected == Self.fields.count + 1 { set(nil) }
  }

  private func ask(_ name: String, _ parameters: [String: String], for field: PersonCard.Field) {
    do {
      try mediator.ask(name, parameters.filter { !$0.value.isEmpty }) { [weak self] answer in
        self?.change(field, to: answer)
      }
    } catch {
      // There is no such list: the user types the value.
      type(into: field)
    }
  }

  private func type(into field: PersonCard.Field) {
    let title = localizer("profile.field.\(field.rawValue)")
    var row = FormField(.text, "value", label: title)
    row.text = shown(field)
    row.cursor = row.text.count
    row.hint = localizer("profile.field.\(field.rawValue)-hint")
    let prompt = PromptViewModel(
      title: title, fields: [row], submit: localizer("settings.save"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      switch ProfileText.checked(typed["value"] ?? "", for: field) {
      case .success(let text):
        self?.change(field, to: text)
        return [:]
      case .failure(let problem): return ["value": self?.localizer(problem) ?? ""]
      }
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  /// Sends a change concurrently with all else: the service stores it first and then waits for the
  /// server, and what is typed meanwhile must not wait to be stored.
  private func send(_ change: @escaping @MainActor () async -> Void) {
    shell.lifetime.aside(change)
  }

  /// - Parameter asksForCity: whether a change of country asks what to do with the city.
  private func change(_ field: PersonCard.Field, to text: String, asksForCity: Bool = true) {
    let before = shown(field)
    guard text != before else { return }
    errors[field] = nil
    saving[field] = text
    invalidation.raise()
    send { [weak self, service] in
      var problem: (any Error)?
      var isSent = false
      do { isSent = try await service.change(field, to: text) } catch { problem = error }
      guard let self else { return }
      // A change made meanwhile is still being sent.
      if saving[field] == text { saving[field] = nil }
      if let fresh = try? await service.profile() { show(fresh) }
      if let problem {
        errors[field] = localizer(NatterError(reporting: problem, key: "error.unexpected"))
        invalidation.raise()
        return shell.report(problem)
      }
      shell.show(StatusNotice(.info, isSent ? "status.profileSaved" : "status.changeWaits"))
      if asksForCity, field == .country, !before.isEmpty { offerToForgetCity() }
    }
  }

  /// Offers to remove a city of the previous country.
  private func offerToForgetCity() {
    let city = shown(.city)
    guard !city.isEmpty else { return }
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "profile.cityTitle", textKey: "profile.cityText",
        acceptKey: "profile.cityForget",
        arguments: ["city": city, "country": shown(.country)]
      ) { [weak self] in self?.change(.city, to: "") })
  }

  // MARK: The picture

  private var shownPicture: String? {
    guard let wanted = profile.waitingPicture else {
      return ownPicture.map { text($0.mediaType, $0.byteCount) }
    }
    return wanted.picture.map { text($0.mediaType, $0.byteCount) }
  }

  private func text(_ mediaType: String, _ byteCount: Int) -> String {
    localizer.list(
      [mediaType.split(separator: "/").last?.uppercased() ?? "", localizer.size(byteCount)]
        .filter { !$0.isEmpty })
  }

  private func askForPicture() {
    var row = FormField(.text, "path", label: localizer("profile.picture"))
    row.isRequired = true
    row.hint = localizer("profile.picture-hint")
    let prompt = PromptViewModel(
      title: localizer("profile.picture"), fields: [row], submit: localizer("settings.save"),
      localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      do { set(try readPicture(typed["path"] ?? "")) } catch {
        return ["path": localizer(NatterError(reporting: error, key: "error.unexpected"))]
      }
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  private func set(_ new: OwnPicture?) {
    let before = pictureText
    pictureText =
      new.map { text($0.mediaType, $0.byteCount) } ?? localizer("settings.none")
    pictureError = ""
    invalidation.raise()
    send { [weak self, service] in
      do {
        let isSent = try await service.setPicture(new)
        if let fresh = try? await service.profile() { self?.show(fresh) }
        self?.shell.show(
          StatusNotice(.info, isSent ? "status.profileSaved" : "status.changeWaits"))
      } catch {
        guard let self else { return }
        pictureText = before
        pictureError = localizer(NatterError(reporting: error, key: "error.unexpected"))
        invalidation.raise()
        shell.report(error)
      }
    }
  }

  private func chooseVisibility() {
    let all = OwnProfile.Visibility.allCases
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("profile.visibility"),
        labels: all.map { localizer("profile.visibility.\($0.rawValue)") },
        selected: profile.visibility.flatMap { all.firstIndex(of: $0) } ?? 1
      ) { [weak self] in
        if let index = $0 { self?.setVisibility(all[index]) }
      })
  }

  private func setVisibility(_ visibility: OwnProfile.Visibility) {
    guard visibility != profile.visibility else { return }
    isChoosingVisibility = true
    visibilityError = ""
    invalidation.raise()
    send { [weak self, service] in
      var problem: (any Error)?
      var isSent = false
      do { isSent = try await service.setVisibility(visibility) } catch { problem = error }
      guard let self else { return }
      isChoosingVisibility = false
      if let fresh = try? await service.profile() { show(fresh) }
      if let problem {
        visibilityError = localizer(NatterError(reporting: problem, key: "error.unexpected"))
        invalidation.raise()
        shell.report(problem)
      } else {
        shell.show(StatusNotice(.info, isSent ? "status.profileSaved" : "status.changeWaits"))
      }
    }
  }
}

extension ValueItem {
  fileprivate func with(value: String) -> ValueItem {
    var item = ValueItem(id: id, title: title, value: value)
    (item.note, item.isWrong, item.isSelected) = (note, isWrong, isSelected)
    return item
  }
}
