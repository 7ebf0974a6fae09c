import { createServer } from 'node:http';
import { later, turns } from '@parley/sdk';

const PORT = Number(process.env['PORT'] ?? 8080);

/** Replace this with your model or your rules. */
const handler = turns(process.env['PARLEY_TURN_SECRET'], (turn) => {
  const text = turn.text.toLowerCase();
  // The agent opens the conversation.
  if (text === '') return `Hello ${String(turn.end_user['name'] ?? 'there')}. How can I help?`;
  if (text.includes('person')) {
    return { messages: [{ content: { type: 'text', text: 'A colleague answers soon.' } }], next: 'hand_off' };
  }
  if (text.includes('report')) return later(makeReport);
  return words(`You wrote: ${turn.text}`);
});

/** Each word is shown while the answer is made. */
async function* words(text: string): AsyncGenerator<string> {
  for (const [at, word] of text.split(' ').entries()) yield at === 0 ? word : ` ${word}`;
}

/** Work that takes longer than the time limit of a call. */
async function makeReport(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  return 'The report is ready.';
}

createServer((request, response) => void handler(request, response)).listen(PORT, () => {
  console.log(`Turns are answered at http://127.0.0.1:${PORT}/`);
});
