type StreamEvent = { event: string; id: string; data: string };

/**
 * Reads the server-sent events of a response. The server writes at least every 15 seconds, so after `idleMs` without
 * data the connection counts as lost. A broken connection ends the events, and the caller connects again.
 */
export async function* readEvents({ body }: Response, idleMs: number): AsyncGenerator<StreamEvent, void, void> {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  const giveUp = (): Promise<void> => reader.cancel().catch(() => {});
  let text = '';
  let timer = setTimeout(giveUp, idleMs);
  try {
    for (;;) {
      const chunk = await reader.read().catch(() => null);
      clearTimeout(timer);
      if (!chunk || chunk.done) return;
      timer = setTimeout(giveUp, idleMs);
      text += decoder.decode(chunk.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const fields = fieldsOf(block);
        if (fields.data !== '') yield fields;
      }
    }
  } finally {
    clearTimeout(timer);
    await giveUp();
  }
}

function fieldsOf(block: string): StreamEvent {
  const fields: StreamEvent = { event: 'message', id: '', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    if (name === 'event' || name === 'id') fields[name] = line.slice(colon + 1).trim();
    if (name === 'data') fields.data += line.slice(colon + 1).trim();
  }
  return fields;
}
