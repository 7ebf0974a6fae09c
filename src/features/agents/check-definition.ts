import type { AgentDefinition, LocalizedText, Rule, Step } from '../../../contract/agents.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { CODE_PROVIDER } from '../../../contract/turns.ts';
import { definitionFaults } from '../../engine/embedded/definition-faults.ts';
import { templateFault } from '../../engine/templates.ts';
import { addressFault } from '../../kernel/check-address.ts';
import { serverFaults, toolFaults } from './check-tool.ts';
import { resultFaults } from './check-result.ts';
import type { AgentsDeps } from './deps.ts';

type Report = (pointer: string, code: string, detail: string) => void;

/** A longer list of faults does not help the reader. */
const MAX_FAULTS = 100;

/**
 * Checks the rules for a definition that its schema cannot express. The function throws `validation_failed` with every
 * fault.
 */
export function checkDefinition(definition: AgentDefinition, at = '/definition'): void {
  const errors: Fault[] = [];
  const report: Report = (pointer, code, detail) => {
    if (errors.length < MAX_FAULTS) errors.push({ pointer: at + pointer, code, detail });
  };
  checkModel(definition, report);
  checkCode(definition, report);
  checkFallback(definition, report);
  definition.steps?.items.forEach((step, index) => checkStep(step, `/steps/items/${index}`, report));
  reportTwins(definition.steps?.items ?? [], '/steps/items', report);
  for (const { pointer, code, detail } of resultFaults(definition)) report(pointer, code, detail);
  definition.rules?.forEach((rule, index) => {
    const pointer = `/rules/${index}`;
    checkRule(rule, pointer, report);
    if (rule.action === 'start_steps' && !definition.steps) {
      report(`${pointer}/action`, 'conflict', 'There are no steps to start.');
    }
  });
  for (const { pointer, code, detail } of definitionFaults(definition)) report(pointer, code, detail);
  checkNoReply(definition, report);
  reportTwins(definition.result?.fields ?? [], '/result/fields', report);
  reportTwins(definition.tools ?? [], '/tools', report);
  definition.tools?.forEach((tool, index) => {
    for (const { pointer, code, detail } of toolFaults(tool)) report(`/tools/${index}${pointer}`, code, detail);
  });
  for (const { pointer, code, detail } of serverFaults(definition)) report(pointer, code, detail);
  for (const [pointer, text] of textsOf(definition)) checkText(text, pointer, report);
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}

/**
 * Checks that the URLs of the tools and of the own code are allowed targets of a call. The check uses the resolver, so
 * it runs outside of every transaction.
 */
export async function checkToolAddresses(
  { tools = [], url: code }: AgentDefinition,
  { egress }: Pick<AgentsDeps, 'egress'>,
  at = '/definition',
): Promise<void> {
  const faults = await Promise.all([
    ...(code === undefined ? [] : [addressFault(egress, `${at}/url`, code)]),
    ...tools.map(({ url }, index) => addressFault(egress, `${at}/tools/${index}/url`, url)),
  ]);
  const errors = faults.filter((fault) => fault !== null);
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}

function checkModel({ provider = 'embedded', model }: AgentDefinition, report: Report): void {
  if (provider === 'embedded' && model !== undefined) {
    report('/model', 'conflict', 'The embedded provider has no model: omit "model", or choose another provider.');
  }
  if (provider === CODE_PROVIDER && model !== undefined) {
    report('/model', 'conflict', 'Your own code has no model: omit "model", or choose another provider.');
  }
  if (provider !== 'embedded' && provider !== CODE_PROVIDER && model === undefined) {
    report('/model', 'required', 'Name the model for this provider.');
  }
}

const MAX_MODEL_SECONDS = 30;

function checkCode({ provider, url, time_limit_seconds: limit = 0 }: AgentDefinition, report: Report): void {
  if (provider === CODE_PROVIDER) {
    if (url === undefined) report('/url', 'required', 'Give the URL of your code.');
    return;
  }
  if (url !== undefined) report('/url', 'conflict', 'Only the provider "http" has a URL.');
  if (limit > MAX_MODEL_SECONDS)
    report('/time_limit_seconds', 'range', `A call of a model may take at most ${MAX_MODEL_SECONDS} seconds.`);
}

function checkFallback({ provider = 'embedded', fallback = [] }: AgentDefinition, report: Report): void {
  if (provider === 'embedded' && fallback.length > 0) {
    report(
      '/fallback',
      'conflict',
      'The embedded provider always answers: omit "fallback", or choose another provider.',
    );
  }
  fallback.forEach((next, index) => {
    const pointer = `/fallback/${index}`;
    const isModel = next.provider !== 'embedded' && next.provider !== 'hand_off';
    if (isModel && next.model === undefined)
      report(`${pointer}/model`, 'required', 'Name the model for this provider.');
    if (!isModel && next.model !== undefined) {
      report(`${pointer}/model`, 'conflict', 'Neither the embedded agent nor a hand-off has a model: omit "model".');
    }
  });
}

function checkStep(step: Step, pointer: string, report: Report): void {
  if (step.type === 'choice' && step.choices === undefined) {
    report(`${pointer}/choices`, 'required', 'A step of type "choice" needs its choices.');
  }
  if (step.type !== 'choice' && step.choices !== undefined) {
    report(`${pointer}/choices`, 'conflict', 'Only a step of type "choice" has choices.');
  }
  const ids = new Set<string>();
  step.choices?.forEach(({ id }, index) => {
    if (ids.has(id)) report(`${pointer}/choices/${index}/id`, 'duplicate', 'This id is used twice.');
    ids.add(id);
  });
  if (step.min !== undefined && step.max !== undefined && step.min > step.max) {
    report(`${pointer}/min`, 'range', 'The minimum is greater than the maximum.');
  }
}

function checkRule(rule: Rule, pointer: string, report: Report): void {
  if (rule.words === undefined && rule.pattern === undefined) {
    report(pointer, 'required', 'A rule needs words or a pattern.');
  }
  if (rule.reply === undefined && rule.tag === undefined && rule.action === undefined) {
    report(pointer, 'required', 'A rule needs a reply, a tag or an action.');
  }
}

function checkNoReply({ no_reply: noReply }: AgentDefinition, report: Report): void {
  const { remind = [], end_after_minutes: end, then } = noReply ?? {};
  remind.forEach(({ after_minutes: minutes }, index) => {
    if (index > 0 && minutes <= remind[index - 1]!.after_minutes)
      report(`/no_reply/remind/${index}/after_minutes`, 'range', 'A reminder must be later than the one before it.');
  });
  if (end !== undefined && end <= (remind.at(-1)?.after_minutes ?? 0))
    report('/no_reply/end_after_minutes', 'range', 'The end must be later than the last reminder.');
  if (then !== undefined && end === undefined)
    report(
      '/no_reply/then',
      'conflict',
      '"then" needs "end_after_minutes": without it, the conversation does not end.',
    );
}

function reportTwins(named: readonly { name: string }[], pointer: string, report: Report): void {
  const seen = new Set<string>();
  named.forEach(({ name }, index) => {
    if (seen.has(name)) report(`${pointer}/${index}/name`, 'duplicate', 'This name is used twice.');
    seen.add(name);
  });
}

function checkText(text: LocalizedText, pointer: string, report: Report): void {
  const entries = Object.entries(text);
  if (entries.length === 0) report(pointer, 'required', 'Give the text in at least one language, or omit the field.');
  for (const [language, template] of entries) {
    const fault = templateFault(template);
    if (fault !== null) report(`${pointer}/${language}`, 'template', fault);
  }
}

/** Yields every text for people with its place. */
function* textsOf(definition: AgentDefinition): Generator<[string, LocalizedText]> {
  const {
    opening,
    dont_know: dontKnow,
    hand_off: handOff,
    no_reply: noReply,
    survey,
    steps,
    rules,
    tools,
  } = definition;
  if (opening) yield ['/opening', opening];
  if (dontKnow) yield ['/dont_know', dontKnow];
  if (handOff?.text) yield ['/hand_off/text', handOff.text];
  for (const [index, { text }] of (noReply?.remind ?? []).entries()) yield [`/no_reply/remind/${index}/text`, text];
  if (survey?.question) yield ['/survey/question', survey.question];
  if (survey?.thanks) yield ['/survey/thanks', survey.thanks];
  if (steps?.summary) yield ['/steps/summary', steps.summary];
  for (const [index, step] of (steps?.items ?? []).entries()) {
    const at = `/steps/items/${index}`;
    yield [`${at}/ask`, step.ask];
    if (step.ask_again) yield [`${at}/ask_again`, step.ask_again];
    for (const [choice, { label }] of (step.choices ?? []).entries()) yield [`${at}/choices/${choice}/label`, label];
  }
  for (const [index, { confirm }] of (tools ?? []).entries()) if (confirm) yield [`/tools/${index}/confirm`, confirm];
  for (const [index, { reply }] of (rules ?? []).entries()) if (reply) yield [`/rules/${index}/reply`, reply];
}
