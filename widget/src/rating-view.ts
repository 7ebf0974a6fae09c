import type { ChatMessage, RateChat } from '../../contract/chat.ts';
import { drawing, h } from './dom.ts';
import { storable } from './storable-text.ts';
import type { Speech } from './texts.ts';

/** The promise rejects if the server does not store the rating. */
export type Rate = (rated: RateChat) => Promise<unknown>;
type Score = RateChat['score'];
type Tools = { speech: Speech; rate: Rate };

/** A copy of the contract's limit, because an import would also load the schemas in that file. */
const MAX_COMMENT = 1_000;

const SCORES = [1, 2, 3, 4, 5] as const;
const THUMB =
  'M7 10v12M15 5.9 14 10h5.8a2 2 0 0 1 1.9 2.6l-2.3 8a2 2 0 0 1-1.9 1.4H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.8a2 2 0 0 0 1.8-1.1L12 2a3.1 3.1 0 0 1 3 3.9Z';

/** Creates the two buttons below an answer. */
export function thumbsView({ id, rating }: ChatMessage, { speech: { words }, rate }: Tools): HTMLElement {
  const scores = ([1, -1] as const).map((score) => ({
    score,
    label: score === 1 ? words.good : words.bad,
    icon: THUMB,
  }));
  return chooser(words.rate_answer, 'thumbs', scores, rating?.score ?? null, {
    rate: (score) => rate({ message_id: id, score }),
    failed: words.failed,
  });
}

/**
 * Creates the scores of a survey and, after the score, a field for a comment. The elements stay in the page, so the
 * focus is not lost.
 */
export function surveyView({ id, rating, content }: ChatMessage, { speech: { words }, rate }: Tools): HTMLElement {
  const labels = content.type === 'choices' ? content.choices.map(({ label }) => label) : [];
  const thanks = h('div', { class: 'facts', role: 'status' }, rating?.score ? words.thanks : '');
  let chosen: Score | null = null;
  const field = h('textarea', {
    rows: '2',
    maxlength: String(MAX_COMMENT),
    'aria-label': words.comment,
    placeholder: words.comment,
    dir: 'auto',
  });
  const send = h('button', { class: 'plain' }, words.send);
  const form = h('form', { class: 'comment', hidden: true, onsubmit: say }, field, send);
  const scores = chooser(
    content.type === 'choices' ? content.text : '',
    'choices',
    labels.slice(0, SCORES.length).map((label, index) => ({ score: SCORES[index]!, label })),
    rating?.score ?? null,
    {
      rate: async (score) => {
        await rate({ message_id: id, score });
        chosen = score;
        thanks.textContent = words.thanks;
        form.hidden = false;
        showAll();
      },
      failed: words.failed,
    },
  );

  /** The survey is usually the last message, and below the score there is no place for the new elements. */
  function showAll(): void {
    thanks.scrollIntoView({ block: 'nearest' });
  }

  function say(event: Event): void {
    event.preventDefault();
    const comment = storable(field.value);
    if (comment === '' || chosen === null) return;
    send.disabled = true;
    rate({ message_id: id, score: chosen, comment })
      .then(() => {
        form.replaceWith(h('div', { class: 'bubble', dir: 'auto' }, comment));
        thanks.textContent = words.thanks_comment;
        showAll();
        return null;
      })
      .catch(() => {
        thanks.textContent = words.failed;
        send.disabled = false;
      });
  }

  return h('div', {}, scores, form, thanks);
}

type Choice = { score: Score; label: string; icon?: string };
type Act = { rate: (score: Score) => Promise<unknown>; failed: string };

function chooser(name: string, style: string, choices: Choice[], chosen: number | null, act: Act): HTMLElement {
  const state = h('span', { class: 'bad', role: 'status' });
  const buttons = choices.map(({ score, label, icon }) =>
    h(
      'button',
      {
        type: 'button',
        dir: 'auto',
        'data-score': String(score),
        'aria-pressed': String(score === chosen),
        ...(icon ? { 'aria-label': label, title: label } : {}),
        onclick: () => choose(score),
      },
      icon ? drawing(icon) : label,
    ),
  );

  function choose(score: Score): void {
    act
      .rate(score)
      .then(() => {
        for (const button of buttons)
          button.setAttribute('aria-pressed', String(button.dataset['score'] === String(score)));
        state.textContent = '';
        return null;
      })
      .catch(() => {
        state.textContent = act.failed;
      });
  }

  return h('div', { class: style, role: 'group', 'aria-label': name }, ...buttons, state);
}
