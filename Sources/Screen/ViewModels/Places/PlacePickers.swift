import NatterCore
import Text

/// Lists of countries and of the cities of a country, available by name: `places/country`,
/// `places/city`.
///
/// They are independent of the use of the answer.
package struct PlacePickers {
  private let localizer: Localizer
  private let table: () -> PlaceTable
  private let show: (PaletteViewModel) -> Void

  /// - Parameters:
  ///   - table: called when a list is opened.
  ///   - show: shows a list until a choice or Esc.
  package init(
    localizer: Localizer, table: @escaping () -> PlaceTable,
    show: @escaping (PaletteViewModel) -> Void
  ) {
    self.localizer = localizer
    self.table = table
    self.show = show
  }

  /// Publishes both inquiries.
  package func publish(to mediator: Mediator) {
    mediator.publish(
      Mediator.Inquiry("places/country", optional: ["selected"]) { parameters, answer in
        let table = table()
        pick(
          table.countries, of: table, title: localizer("places.country"),
          selected: parameters["selected"], answer)
      })
    mediator.publish(
      Mediator.Inquiry("places/city", optional: ["country", "selected"]) { parameters, answer in
        let table = table()
        let country = parameters["country"].flatMap { table.country(called: $0) }
        let title =
          country.map {
            localizer("places.cityIn", ["country": table.name(of: $0, in: localizer.tag)])
          } ?? localizer("places.city")
        pick(
          country.map { table.cities(of: $0) } ?? [], of: table, title: title,
          selected: parameters["selected"], answer)
      })
  }

  private func pick(
    _ places: [PlaceTable.Place], of table: PlaceTable, title: String, selected: String?,
    _ answer: @escaping (String) -> Void
  ) {
    func entry(_ name: String, title: String, detail: String = "") -> PaletteEntry {
      PaletteEntry(id: name, kind: .setting, title: title, detail: detail) { answer(name) }
    }
    let tag = localizer.tag
    var entries = places.map { place in
      let name = table.name(of: place, in: tag)
      return entry(name, title: name, detail: table.otherNames(of: place, in: tag))
    }
    // Sorted without diacritics: Åland is next to Albania.
    .map { (key: SearchForm.of($0.title), entry: $0) }.sorted { $0.key < $1.key }.map(\.entry)
    let held = places.first { place in
      place.names.contains { $0.lowercased() == selected?.lowercased() }
    }
    let selected = held.map { table.name(of: $0, in: tag) } ?? selected
    var query = ""
    if let index = entries.firstIndex(where: { $0.title == selected }) {
      // The current value comes first, so that Enter keeps it.
      entries.insert(entries.remove(at: index), at: 0)
    } else if let selected {
      // A partial name becomes the query.
      query = selected
    }
    show(
      PaletteViewModel(
        entries: entries, memory: RecentChoices(), localizer: localizer,
        texts: PaletteTexts(
          title: title, hint: localizer("places.hint"), nothing: localizer("places.nothing")),
        query: query
      ) { typed in
        let text = ErrorText.oneLine(typed)
        return entries.contains { $0.title == text }
          ? [] : [entry(text, title: localizer("places.asTyped", ["text": text]))]
      })
  }
}
