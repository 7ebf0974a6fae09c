import { styleText } from 'node:util';
import type { Row } from './api.ts';
import { printable } from './table.ts';

type Content = { type: string; text?: string; name?: string; url?: string; choices?: { label: string }[] };
type Source = { document: string; quote: string };

const SPEAKERS: Record<string, string> = { agent: 'Agent', end_user: 'Person', member: 'Team', system: 'System' };

/** Prints messages in a readable form, with author, text, and the cited passages with their documents. */
export function transcript(messages: readonly Row[]): string {
  if (messages.length === 0) return dim('No message yet.');
  return messages.map((message) => [speaker(message), ...sourcesOf(message)].join('\n')).join('\n');
}

const dim = (text: string): string => styleText('dim', text, { stream: process.stdout });

function speaker(message: Row): string {
  const who = SPEAKERS[String(message['role'])] ?? String(message['role']);
  return `${styleText('bold', `${who}:`, { stream: process.stdout })} ${contentText(message['content'] as Content)}`;
}

function contentText(content: Content): string {
  const choices = (content.choices ?? []).map((choice) => `[${printable(choice.label)}]`).join(' ');
  const what = content.type === 'text' || content.type === 'choices' ? '' : `(${content.type}) `;
  const text = content.text ?? content.url ?? content.name ?? '';
  return [what + printable(text), choices].filter((part) => part !== '').join('\n  ');
}

const sourcesOf = (message: Row): string[] =>
  ((message['sources'] as Source[] | undefined) ?? []).map((source) =>
    dim(`  from ${printable(source.document)}: “${printable(source.quote).replaceAll(/\s+/g, ' ')}”`),
  );
