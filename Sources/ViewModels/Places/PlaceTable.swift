/// The countries there are and their larger cities, with what they are called in Natter's languages.
nonisolated package struct PlaceTable: Sendable {
  /// A country or a city.
  package struct Place: Hashable, Sendable {
    /// Of the country (ISO 3166-1).
    package let code: String
    /// In the order of the table's languages.
    package let names: [String]
  }

  package let countries: [Place]
  /// The cities as they are in the file: nobody looks at those of all countries.
  private let cities: String
  /// The languages of the columns.
  private let tags: [String]

  /// Reads two tables of lines with a tabulator between code and names; `#` begins a remark, the last of which names the
  /// languages.
  package init(countries: String, cities: String) {
    let first = Self.rows(countries)
    tags = first.tags
    self.countries = first.places
    self.cities = cities
  }

  /// - Parameter code: the only country whose lines count; `nil`: all do.
  private static func rows(_ text: String, of code: String? = nil) -> (
    tags: [String], places: [Place]
  ) {
    var tags: [String] = []
    var places: [Place] = []
    let start = code.map { Array("\($0)\t".utf8) } ?? []
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      guard line.first == UInt8(ascii: "#") || line.starts(with: start) else { continue }
      let line = Substring(line)
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      if line.hasPrefix("#") {
        if parts.count > 1 { tags = Array(parts.dropFirst()) }
      } else if parts.count == tags.count + 1, !parts[0].isEmpty {
        places.append(Place(code: parts[0], names: Array(parts.dropFirst())))
      }
    }
    return (tags, places)
  }

  /// What a place is called in the language of that tag, or in English.
  package func name(of place: Place, in tag: String) -> String {
    place.names[tags.firstIndex(of: tag) ?? 0]
  }

  /// The other names of a place, and its code where it is a country: what else it can be found by.
  package func otherNames(of place: Place, in tag: String) -> String {
    var seen: Set = [name(of: place, in: tag)]
    return place.names.filter { seen.insert($0).inserted }.joined(separator: ", ")
  }

  /// The country that somebody calls so, in any of the languages or by its code.
  package func country(called text: String) -> Place? {
    let wanted = text.trimmed.lowercased()
    guard !wanted.isEmpty else { return nil }
    return countries.first { country in
      country.code.lowercased() == wanted || country.names.contains { $0.lowercased() == wanted }
    }
  }

  package func cities(of country: Place) -> [Place] {
    Self.rows(cities, of: country.code).places
  }
}
