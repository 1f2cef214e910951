import NatterCore
import Text

/// The whole own profile as one form, of which nothing is published before Save (interface.md,
/// "Screens").
///
/// The changes are then saved like single fields: each by itself, and a refused one shows the error
/// on its own row.
final class ProfileForm {
  let form: FormViewModel
  /// Closes the form.
  var close: () -> Void = {}
  /// Called with the changed fields, and with the visibility if it has changed.
  var onSave:
    (_ changes: [(field: PersonCard.Field, text: String)], OwnProfile.Visibility?) -> Void = {
      _, _ in
    }

  private let card: PersonCard
  private let visibility: OwnProfile.Visibility?
  private let mediator: Mediator
  private let localizer: Localizer
  /// The country for which the city was already questioned.
  private var askedCountry: String
  /// True if an answer about the city continues with saving.
  private var isSaving = false

  /// The order of the form, a country before its city.
  private static let fields: [PersonCard.Field] = [
    .fullName, .nickname, .note, .country, .city, .web, .email, .phone, .birthday, .organisation,
    .street, .postcode, .region,
  ]
  private static let visibilityID = "visibility"

  /// - Parameters:
  ///   - card: the initial contents.
  ///   - visibility: `nil` until the server has sent it.
  ///   - mediator: provides `places/country` and `places/city`, if there are such lists.
  init(
    card: PersonCard, visibility: OwnProfile.Visibility?, mediator: Mediator, localizer: Localizer
  ) {
    (self.card, self.visibility) = (card, visibility)
    (self.mediator, self.localizer) = (mediator, localizer)
    askedCountry = card[.country]
    var rows = Self.fields.map { field in
      var row = FormField(
        .text, field.rawValue, label: localizer("profile.field.\(field.rawValue)"))
      row.text = card[field]
      row.cursor = row.text.count
      if field == .country || field == .city { row.hint = localizer("profile.pickHint") }
      return row
    }
    var choice = FormField(
      .choice(
        (visibility == nil ? [localizer("profile.visibility.unknown")] : [])
          + OwnProfile.Visibility.allCases.map { localizer("profile.visibility.\($0.rawValue)") }),
      Self.visibilityID, label: localizer("profile.visibility"))
    choice.selected = visibility.flatMap { OwnProfile.Visibility.allCases.firstIndex(of: $0) } ?? 0
    rows += [
      choice, FormField(.spacer, "gap"),
      FormField(.button, "save", label: localizer("settings.save")),
      FormField(.button, "cancel", label: localizer("dialog.cancel")),
    ]
    form = FormViewModel(
      title: localizer("profile.formTitle"), fields: rows,
      keyHints: [localizer.hint("profile.keysSave"), localizer.wayOut("dialog.keysClose")],
      defaultButton: "save")
    form.moreHint = localizer("dialog.keysMore")
    // The form keeps this object alive while it is shown, and releases it when it is closed.
    form.onChange = { _ in self.showWhetherChanged() }
    form.onChord = { self.takes($0) }
    form.onPress = { id in if id == "save" { self.save() } else { self.finish() } }
    form.onCancel = { self.leave() }
    form.onDialogPress = { self.answer($0) }
  }

  private func text(_ field: PersonCard.Field) -> String { form.text(of: field.rawValue).trimmed }

  private var chosenVisibility: OwnProfile.Visibility? {
    let all = OwnProfile.Visibility.allCases
    let index = (form[Self.visibilityID]?.selected ?? 0) - (visibility == nil ? 1 : 0)
    return all.indices.contains(index) ? all[index] : nil
  }

  private var isChanged: Bool {
    chosenVisibility != visibility || Self.fields.contains { text($0) != card[$0] }
  }

  private func showWhetherChanged() {
    form.trailer = isChanged ? "* " + localizer("profile.changed") : ""
  }

  // MARK: Countries and cities

  /// Returns true if the key is Enter in a field with a list, which opens.
  private func takes(_ chord: String) -> Bool {
    guard chord == localizer("keyname.enter"), let id = form.focus else { return false }
    switch PersonCard.Field(rawValue: id) {
    case .country: return ask("places/country", ["selected": text(.country)], for: .country)
    case .city:
      return ask("places/city", ["country": text(.country), "selected": text(.city)], for: .city)
    default: return false
    }
  }

  /// - Returns: whether there is such a list.
  private func ask(_ name: String, _ parameters: [String: String], for field: PersonCard.Field)
    -> Bool
  {
    do {
      try mediator.ask(name, parameters.filter { !$0.value.isEmpty }) { [weak self] answer in
        guard let self else { return }
        put(answer, into: field)
        if field == .country { askAboutCity() }
      }
      return true
    } catch {
      return false
    }
  }

  private func put(_ text: String, into field: PersonCard.Field) {
    form.update(field.rawValue) {
      ($0.text, $0.cursor, $0.error) = (text, text.count, nil)
    }
    showWhetherChanged()
  }

  /// Asks what to do with a city of the previous country.
  /// - Returns: whether a question was asked.
  @discardableResult private func askAboutCity() -> Bool {
    let (country, city) = (text(.country), text(.city))
    let hasMoved = country != askedCountry && !askedCountry.isEmpty && city == card[.city]
    askedCountry = country
    guard hasMoved, !city.isEmpty else { return false }
    form.dialog = Dialog(
      title: localizer("profile.cityTitle"), level: .question,
      lines: [.text(localizer("profile.cityText", ["city": city, "country": country]))],
      buttons: [
        .init("forget", localizer("profile.cityForget")),
        .init("keep", localizer("profile.cityKeep")),
      ], safe: "keep")
    return true
  }

  private func answer(_ button: Dialog.Button.ID) {
    switch button {
    case "drop": return finish()
    case "save": return save()
    case "forget": put("", into: .city)
    default: break
    }
    if isSaving { save() }
  }

  // MARK: Closing

  private func save() {
    isSaving = true
    // A typed country has not led to the question yet.
    if askAboutCity() { return }
    isSaving = false
    form.clearErrors()
    var changes: [(field: PersonCard.Field, text: String)] = []
    var wrong: [PersonCard.Field] = []
    for field in Self.fields {
      switch ProfileText.checked(text(field), for: field) {
      case .success(let text): if text != card[field] { changes.append((field, text)) }
      case .failure(let problem):
        wrong.append(field)
        form.update(field.rawValue) { $0.error = localizer(problem) }
      }
    }
    if let first = wrong.first { return form.focus(on: first.rawValue) }
    let visible = chosenVisibility == visibility ? nil : chosenVisibility
    finish()
    onSave(changes, visible)
  }

  /// Handles Esc: changes are not lost by a single key.
  private func leave() {
    guard isChanged else { return finish() }
    form.dialog = Dialog(
      title: form.title, level: .question, lines: [.text(localizer("profile.leaveText"))],
      buttons: [
        .init("save", localizer("settings.save")), .init("drop", localizer("profile.drop")),
        .init("stay", localizer("profile.stay")),
      ], safe: "save")
  }

  private func finish() {
    close()
    (form.onChange, form.onPress, form.onDialogPress) = ({ _ in }, { _ in }, { _ in })
    (form.onChord, form.onCancel) = (nil, {})
  }
}
