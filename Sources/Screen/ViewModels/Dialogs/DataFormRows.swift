import NatterCore
import Text

/// A data form of a server or peer (XEP-0004) as rows of a form, with the changes made in them.
nonisolated struct DataFormRows: Sendable {
  private let fields: [DataForm.Field]
  private let instructions: [String]
  /// The prefix of the rows' ids: a different one for each form that replaces another.
  private let stem: String
  private let localizer: Localizer

  init(_ form: DataForm, stem: String = "field", localizer: Localizer) {
    fields = form.fields.map { localizer.known($0) }
    instructions = form.instructions
    self.stem = stem
    self.localizer = localizer
  }

  var rows: [FormField] {
    instructions.enumerated().map {
      FormField(.paragraph, "\(stem) instructions \($0.offset)", label: $0.element)
    } + fields.enumerated().flatMap { rows(of: $0.element, number: $0.offset) }
  }

  /// The fields of a result, to be read.
  var lines: [FormField] {
    instructions.enumerated().map {
      FormField(.paragraph, "\(stem) instructions \($0.offset)", label: $0.element)
    }
      + fields.enumerated().map { number, field in
        guard field.kind != .note else {
          return FormField(.paragraph, id(number), label: field.label)
        }
        return FormField(
          .entry(term: field.label), id(number),
          label: localizer.list(Self.words(of: field)))
      }
  }

  /// Returns the required rows that are empty.
  @MainActor func missing(in form: FormViewModel) -> [FormField.ID] {
    let shown = Self.fieldsByID(form)
    return rows.filter {
      $0.isRequired && $0.isText && (shown[$0.id]?.text ?? "").trimmed.isEmpty
    }.map(\.id)
  }

  /// Returns the checkboxes that may require consent, and are not ticked.
  @MainActor func unticked(in form: FormViewModel) -> [FormField.ID] {
    let shown = Self.fieldsByID(form)
    return rows.filter {
      $0.kind == .checkbox && $0.isRequired && shown[$0.id]?.isOn != true
    }.map(\.id)
  }

  /// Returns the fields of `form` by their ids: a form of others may have thousands, and looking up
  /// each among all would take the square of their number.
  @MainActor private static func fieldsByID(_ form: FormViewModel) -> [FormField.ID: FormField] {
    Dictionary(form.fields.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the row for the field of that name.
  func row(of name: String) -> FormField.ID? {
    fields.firstIndex { $0.name == name && $0.kind != .note }.map { id($0) }
  }

  /// Returns the values as text: the labels of the chosen options.
  private static func words(of field: DataForm.Field) -> [String] {
    switch field.kind {
    case .choice(let options), .choices(let options):
      labels(options, of: field.values)
    default: field.values
    }
  }

  private static func labels(_ options: [DataForm.Option], of values: [String]) -> [String] {
    let labels = Dictionary(
      options.map { ($0.value, $0.label) }, uniquingKeysWith: { first, _ in first })
    return values.map { labels[$0] ?? $0 }
  }

  /// Returns the changed values of `form`, which contains the rows.
  @MainActor func answers(in form: FormViewModel) -> [String: [String]] {
    let shown = Self.fieldsByID(form)
    var answers: [String: [String]] = [:]
    for (number, field) in fields.enumerated() {
      guard let now = values(of: field, number: number, in: shown), now != Self.normal(field) else {
        continue
      }
      answers[field.name] = now
    }
    return answers
  }

  private func id(_ number: Int, _ part: Int? = nil) -> String {
    part.map { "\(stem) \(number) \($0)" } ?? "\(stem) \(number)"
  }

  private func rows(of field: DataForm.Field, number: Int) -> [FormField] {
    func row(_ kind: FormField.RowKind) -> FormField {
      var row = FormField(kind, id(number), label: field.label)
      row.hint = field.hint
      row.isRequired = field.isRequired
      return row
    }
    switch field.kind {
    case .note: return [row(.paragraph)]
    case .boolean:
      var row = row(.checkbox)
      row.isOn = Self.normal(field) == ["1"]
      return [row]
    case .text, .lines, .addresses:
      var row = row(.text)
      row.text = Self.text(of: field)
      row.cursor = row.text.count
      return [row]
    case .secret:
      var row = row(.password)
      row.text = field.values.first ?? ""
      return [row]
    case .choice(let options):
      // A choice without options is omitted.
      guard !options.isEmpty else { return [] }
      var row = row(.choice(options.map(\.label)))
      row.selected = options.firstIndex { $0.value == field.values.first } ?? 0
      return [row]
    case .choices(let options):
      let chosen = Set(field.values)
      return [FormField(.paragraph, id(number), label: field.label)]
        + options.enumerated().map { index, option in
          var row = FormField(.checkbox, id(number, index), label: option.label)
          row.isOn = chosen.contains(option.value)
          return row
        }
    }
  }

  private func values(
    of field: DataForm.Field, number: Int, in shown: [FormField.ID: FormField]
  ) -> [String]? {
    guard let row = shown[id(number)] else { return nil }
    switch field.kind {
    case .note: return nil
    case .boolean: return [row.isOn ? "1" : "0"]
    case .secret: return [row.text]
    case .text: return [row.text]
    case .lines, .addresses:
      // Shown on one line: an untouched field keeps its original values.
      guard row.text != Self.text(of: field) else { return nil }
      return row.text.split(separator: field.kind == .lines ? "|" : ",").map {
        String($0).trimmed
      }.filter { !$0.isEmpty }
    case .choice(let options):
      // A value outside the options stays until the user chooses one; in a required empty field,
      // the shown option counts as chosen.
      guard options.indices.contains(row.selected) else { return nil }
      let isKnown = options.contains { $0.value == field.values.first }
      let isOpen = !isKnown && !(field.isRequired && field.values.isEmpty)
      return isOpen && row.selected == 0 ? nil : [options[row.selected].value]
    case .choices(let options):
      return options.enumerated().filter { shown[id(number, $0.offset)]?.isOn == true }
        .map(\.element.value)
    }
  }

  /// Returns the field's values in the format of `values(of:)`.
  private static func normal(_ field: DataForm.Field) -> [String] {
    switch field.kind {
    case .boolean: return [["1", "true"].contains(field.values.first ?? "") ? "1" : "0"]
    case .text, .secret: return [field.values.first ?? ""]
    case .choices(let options):
      let chosen = Set(field.values)
      return options.map(\.value).filter(chosen.contains)
    default: return field.values
    }
  }

  private static func text(of field: DataForm.Field) -> String {
    field.values.joined(separator: field.kind == .lines ? " | " : ", ")
  }
}
