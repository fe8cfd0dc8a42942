/// Examples in a Markdown document: a block of `sh` and the block of `json` that
/// follows it, which shows what the command prints.
import { run_program } from './program.mjs';

/// Answers `[{ command, shown, heading }]`; `shown` is the value of the JSON
/// block, undefined when none follows before the next command.
export function examples_in(markdown) {
  const found = [];
  let heading = '';
  const pieces = /^(#+ .*)$|^```(\w+)\n([\s\S]*?)^```$/gm;
  for (const [, title, kind, text] of markdown.matchAll(pieces)) {
    if (title) heading = title.replace(/^#+ /, '');
    else if (kind === 'sh') found.push({ heading, command: text });
    else if (kind === 'json' && found.length > 0
      && found.at(-1).heading === heading
      && found.at(-1).shown === undefined) {
      found.at(-1).shown = JSON.parse(text);
    }
  }
  return found;
}

const kind_of = (value) => (value === null ? 'null'
  : Array.isArray(value) ? 'list' : typeof value);

/// Where `got` has another form than `shown`: a key too few or too many, a value
/// of another kind. Of lists the first elements are compared; one that is shown
/// with an element has to have one.
export function differences(shown, got, at = '') {
  const [one, other] = [kind_of(shown), kind_of(got)];
  if (one === 'null' || other === 'null') return [];
  if (one !== other) return [`${at || 'the answer'}: ${other}, not ${one}`];
  if (one === 'list') {
    if (shown.length === 0) return [];
    if (got.length === 0) return [`${at}: an empty list`];
    return differences(shown[0], got[0], `${at}[0]`);
  }
  if (one !== 'object') return [];
  const keys = new Set([...Object.keys(shown), ...Object.keys(got)]);
  return [...keys].flatMap((key) => {
    const where = at ? `${at}.${key}` : key;
    if (!(key in got)) return [`${where}: is shown and does not come`];
    if (!(key in shown)) return [`${where}: comes and is not shown`];
    return differences(shown[key], got[key], where);
  });
}

/// Runs each command as it stands there, but for `places`: pairs of what the
/// document says and what it is in this run. A block that defines a function
/// stands before all later ones. Answers what was not as shown, in words.
export async function run_examples(examples, places) {
  const here = (text) => places.reduce(
    (now, [from, to]) => now.replaceAll(from, to), text);
  let before = '';
  const wrong = [];
  for (const { heading, command, shown } of examples) {
    if (command.includes('() {')) before += here(command);
    const { code, out, err } = await run_program('bash',
      ['-euc', before + here(command)]);
    const say = (what) => wrong.push(`${heading}: ${command.trim()}: ${what}`);
    if (code !== 0) say(`ended with ${code}: ${out}${err}`);
    else if (shown !== undefined) {
      for (const one of differences(shown, JSON.parse(out))) say(one);
    }
  }
  return wrong;
}
