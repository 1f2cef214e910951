import ChatsFixtures
import NatterCore
import Testing

@testable import ViewModels

/// Forms of others, as large as a stanza permits.
@Suite struct DataFormRowsTests {
  @Test func `of thousands of fields and options the changed ones are answered`() {
    let options = (0..<5000).map { DataForm.Option(label: "Option \($0)", value: "o\($0)") }
    let chosen = (0..<2500).map { "o\($0 * 2)" }
    var fields = (0..<10_000).map {
      DataForm.Field(name: "f\($0)", kind: .text, label: "F", isRequired: true, values: ["\($0)"])
    }
    fields.append(
      DataForm.Field(name: "all", kind: .choices(options), label: "All", values: chosen))
    let rows = DataFormRows(DataForm(fields: fields), localizer: english())
    let form = FormViewModel(title: "Large", fields: rows.rows)
    #expect(rows.answers(in: form).isEmpty && rows.missing(in: form).isEmpty)
    form.update("field 7") { $0.text = "seven" }
    form.update("field 9999") { $0.text = " " }
    form.update("field 10000 1") { $0.isOn = true }
    let answers = rows.answers(in: form)
    #expect(answers["f7"] == ["seven"] && answers["f9999"] == [" "] && answers.count == 3)
    #expect(answers["all"]?.count == 2501 && answers["all"]?[1] == "o1")
    #expect(rows.missing(in: form) == ["field 9999"])
    #expect(rows.lines.count == 10_001)
  }
}
