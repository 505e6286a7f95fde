import FixtureExchange
import FixtureReplay
import FixtureStore

extension ControlAPI {
  /// What the cassette of a session holds; `next` is what to ask `after` for the following ones.
  func interactions(
    of session: ServedSession, _ search: String, after id: Int64, limit: Int
  ) throws(ControlError) -> Answer {
    let found: [ListedInteraction]
    do {
      found = try CassetteReader(path: session.cassette).listing(
        containing: search, after: id, limit: limit)
    } catch {
      throw ControlError(.store(error))
    }
    let used = session.journal.used
    return Answer { json in
      json.object { json in
        json.member("next", found.last?.id ?? id)
        json.member("interactions") { json in
          json.array { json in
            for interaction in found {
              interaction.write(to: &json, isUsed: used.contains(interaction.id))
            }
          }
        }
      }
    }
  }
}

extension ListedInteraction {
  fileprivate func write(to json: inout JSONText, isUsed: Bool) {
    json.object { json in
      json.member("id", id)
      json.member("upstream", orNull: upstream)
      json.member("method", bytes: method)
      json.member("target", bytes: target)
      json.member("status", orNull: status)
      json.member("content_size", orNull: contentSize)
      json.member("outcome", outcome)
      json.member("notes", notes)
      json.member("used", isUsed)
    }
  }
}
