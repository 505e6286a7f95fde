extension InspectorScript {
  /// Where exchanges come from: a file's data, or the control API.
  static let source = #"""
    // --- Where it comes from

    function embedded(data) {
      const heads = (list) => new Map(list.map((head) => [head.id, {...head,
        fields: head.lines.split("\r\n").filter(Boolean).map((line) => {
          const colon = line.indexOf(": ");
          return [line.slice(0, colon), line.slice(colon + 2)];
        })}]));
      const requests = heads(data.requests), responses = heads(data.responses);
      const time = (us) => us === null ? null : us / 1000;
      const moment = (due, done) => due === null ? null
        : {due_ms: due / 1000, done_ms: done / 1000};
      const texts = (session, x) => {
        const set = (session.rule_sets ?? []).find((one) => one.number === x.rule_set);
        const numbers = x.rules.concat(x.draws.map((draw) => draw.rule));
        return set ? set.rules.filter((rule) => numbers.includes(rule.number)) : [];
      };
      const whole = (session, x) => {
        const made = {...x,
          request: {...requests.get(x.request_id), content_size: x.content_size, sha256: x.sha256},
          response: responses.get(x.response_id) ?? null,
          rules: x.rules.split(" ").filter(Boolean).map(Number),
          draws: x.draws ? JSON.parse(x.draws) : [],
          overruled: x.overruled ? [x.overruled] : [],
          received_ms: time(x.received_us), request_end_ms: time(x.request_end_us),
          end_ms: time(x.end_us), head: moment(x.head_due_us, x.head_done_us),
          last: moment(x.last_due_us, x.last_done_us)};
        made.rule_texts = texts(session, made);
        return made;
      };
      const chosen = () => data.sessions.find((s) => s.id === state.id);
      return {
        async sessions() {
          return data.sessions.map((s) => ({...s, exchanges: s.list.length}));
        },
        follow(id) {
          const session = chosen();
          state.began = session.began_us;
          state.dropped = session.dropped + (session.count - session.list.length);
          for (const x of session.list) state.all.set(x.number, whole(session, x));
          schedule();
        },
        async whole(number) { return state.all.get(number); },
        async verdict() {
          const session = chosen();
          return {...session.verdict, notes: session.verdict_notes};
        },
        async interactions() { return []; },
      };
    }

    // The server answered that it does not do it.
    class Refused extends Error {}
    // It could not be asked, or its answer broke off.
    class Gone extends Error {}
    // For what only moves bytes: there, fetch says by TypeError what the network did.
    function lost(error) {
      throw error instanceof TypeError ? new Gone(error.message) : error;
    }

    function live() {
      const ask = async (path, options = {}) => {
        const headers = {...options.headers};
        // Fields hold bytes.
        const token = String.fromCharCode(...new TextEncoder().encode(state.token));
        if (state.token) headers.Authorization = "Bearer " + token;
        const answer = await fetch(path, {...options, headers, cache: "no-store"}).catch(lost);
        if (answer.status === 401) askForToken();
        if (!answer.ok) {
          const text = await answer.json().then((one) => one.detail, () => null);
          throw new Refused(text ?? `status ${answer.status}`);
        }
        return answer;
      };
      const json = async (path, options) => (await ask(path, options)).json().catch(lost);
      const base = () => "v1/sessions/" + encodeURIComponent(state.id);
      return {
        async sessions() { return (await json("v1/sessions")).sessions; },
        follow(id) {
          if (state.reader) state.reader.abort();
          state.reader = new AbortController();
          report(follow(id, state.reader, ask));
        },
        async whole(number) { return json(`${base()}/exchanges/${number}`); },
        async verdict(limits) {
          const query = Object.entries(limits).filter(([, value]) => value)
            .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
          return json(`${base()}/verdict${query ? "?" + query : ""}`);
        },
        async interactions(search, after) {
          const query = `search=${encodeURIComponent(search)}&after=${after}`;
          return (await json(`${base()}/interactions?${query}`)).interactions;
        },
        async release(gate) {
          await ask(`${base()}/gates/${encodeURIComponent(gate)}/release`, {method: "POST"});
          await refreshSessions();
        },
      };
    }

    // The page waits for a token: nothing is asked until there is one.
    function askForToken() {
      const isWrong = state.token !== "";
      state.token = "";
      state.isLocked = true;
      $("access").hidden = false;
      $("access-word").textContent = isWrong ? "That is not this server's token."
        : "This server asks for its token: what FIXTURED_CONTROL_TOKEN was where it was started.";
      $("access-word").className = isWrong ? "bad" : "";
      status("locked", "warn");
      $("token").value = "";
      $("token").focus();
    }

    // Server-sent events by fetch, which unlike EventSource can send a token.
    async function follow(id, reader, ask) {
      let last = null, pause = 500;
      while (!reader.signal.aborted) {
        let why = "the server is gone", kind = "bad";
        try {
          const answer = await ask(`v1/sessions/${encodeURIComponent(id)}/events`, {
            signal: reader.signal, headers: last === null ? {} : {"Last-Event-ID": last}});
          status("live", "good");
          pause = 500;
          const stream = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          let text = "";
          while (true) {
            const {value, done} = await stream.read().catch(lost);
            if (done || reader.signal.aborted) break;
            text += value;
            const events = text.split("\n\n");
            text = events.pop();
            for (const event of events) last = take(event, id) ?? last;
          }
        } catch (error) {
          if (reader.signal.aborted || state.isLocked) return;
          if (error instanceof Refused) {
            // It can be heard; perhaps it knows no such session.
            if (!(await isServed(id))) state.ended = id;
            [why, kind] = [error.message, "warn"];
          } else if (!(error instanceof Gone)) throw error;
        }
        if (reader.signal.aborted || state.id !== id) return;
        if (state.ended === id) {
          return status("this session has ended; what it did stays here", "warn");
        }
        status(`${why}, trying again`, kind);
        await new Promise((done) => setTimeout(done, pause));
        pause = Math.min(5000, pause * 1.6);
      }
    }

    async function isServed(id) {
      try {
        return (await source.sessions()).some((one) => one.id === id);
      } catch {
        return true;
      }
    }

    function take(event, id) {
      let name = "exchange", data = "", last = null;
      for (const line of event.split("\n")) {
        if (line.startsWith("event: ")) name = line.slice(7);
        if (line.startsWith("data: ")) data += line.slice(6);
        if (line.startsWith("id: ")) last = line.slice(4);
      }
      if (state.id !== id || !data) return last;
      const value = JSON.parse(data);
      if (name === "dropped") state.dropped += value.dropped;
      else if (name === "end") state.ended = id;
      else if (name === "session") begin(value);
      else if (name === "exchange" || name === "begun") {
        keep(value);
        if (state.selected === value.number) report(select(value.number));
      }
      schedule();
      return last;
    }

    // A stream begins, or the journal began anew: what came before does not count. Another server
    // than before begins with everything.
    function begin(value) {
      const isOther = state.began !== null && state.began !== value.began_us;
      state.began = value.began_us;
      state.clock = performance.now() - value.now_ms;
      for (const number of [...state.all.keys()]) if (isOther || number < value.first) {
        state.all.delete(number);
        state.plans.delete(number);
      }
      if (isOther || value.first > 1 && state.all.size === 0) {
        state.dropped = 0;
        state.forgotten = 0;
        state.lastForgotten = 0;
      }
      if (state.selected !== null && !state.all.has(state.selected)) unselect();
    }

    """#
}
