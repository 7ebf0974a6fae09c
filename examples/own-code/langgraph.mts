import { createServer } from 'node:http';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { turns } from '@parley/sdk';

const PORT = Number(process.env['PORT'] ?? 8080);

/** One node that answers. Replace it with a node that calls your model and your tools. */
const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => {
    const written = messages.filter((message) => message instanceof HumanMessage);
    return { messages: [new AIMessage(`Message ${written.length}: ${String(written.at(-1)?.content)}`)] };
  })
  .addEdge('__start__', 'answer')
  .addEdge('answer', '__end__')
  .compile({ checkpointer: new MemorySaver() });

const handler = turns(process.env['PARLEY_TURN_SECRET'], async (turn) => {
  // The test chat has no conversation.
  const thread = turn.conversation.id ?? turn.turn.id;
  const { messages } = await graph.invoke(
    { messages: [new HumanMessage({ id: turn.turn.id, content: turn.text })] },
    { configurable: { thread_id: thread }, signal: turn.signal },
  );
  return String(messages.at(-1)?.content);
});

createServer((request, response) => void handler(request, response)).listen(PORT, () => {
  console.log(`Turns are answered at http://127.0.0.1:${PORT}/`);
});
