/** docs/reasons.md: every way a message can end, from the catalogue. */
import { CAUSES, type Cause, STATES, type State } from '../core/catalogue.js';

const HEAD = `\
# Reasons

Generated from \`src/core/catalogue.ts\`: change it there, then \`npm run docs\`.

Every message a stream receives ends exactly once, with a **state** and a **cause**. Both stand in \`~/outcomes\` as numbers and as text,
and as labels of the metric \`vig_outcomes_total\`. \`detail\` says it for the one frame. A missed deadline is counted beside the outcome,
never instead of it. From the symptom to what to do: [runbook.md](runbook.md).
`;

const STATE_MEANINGS: Readonly<Record<State, string>> = {
  delivered: 'a result within max_age_ms, on the result topic and the decoded one',
  obsolete: 'a result that came too late to be fresh: on the result topic with its flag set, on a decoded topic only if asked for',
  superseded: 'a newer capture took its place while it waited, or came before it',
  stale: 'it could not have been fresh when finished, so it was not started',
  infeasible: 'refused: there was no room, or nothing could run it',
  cancelled: 'withdrawn, or the node was not serving',
  backend_timeout: 'no answer in time; the server may still be computing, so its slot stays held',
  backend_failed: 'the server answered with an error, or nobody knows how the call ended',
  invalid: 'the message could not become a request',
};

export function reasonsDocument(): string {
  const sections = (Object.keys(STATES) as State[]).map(section);
  return `${HEAD}\n${sections.join('\n')}`;
}

/** Remedies name headings of the runbook as seen from the root of the project. */
function linked(remedy: string): string {
  return remedy.replace(/docs\/(runbook\.md#[a-z-]+)/g, '[runbook]($1)');
}

function section(state: State): string {
  const rows = (Object.keys(CAUSES) as Cause[])
    .filter((cause) => CAUSES[cause].state === state)
    .map((cause) => `| \`${cause}\` | ${CAUSES[cause].number} | ${CAUSES[cause].meaning} | ${linked(CAUSES[cause].remedy)} |`);
  const table = ['| Cause | Number | What happened | What to do about it |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `## ${state} (${STATES[state]})\n\n${STATE_MEANINGS[state]}.\n\n${table}\n`;
}
