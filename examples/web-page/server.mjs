// A small backend: it serves the page, identifies visitors by a cookie, and creates client tokens for them.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const {
  PARLEY_URL,
  PARLEY_API_KEY,
  AGENT,
  TRIGGER,
  PORT = '3000',
  ORIGIN = `http://localhost:${PORT}`,
  SDK = 'node_modules/@parley/sdk/browser.js',
} = process.env;

const page = readFileSync(new URL('index.html', import.meta.url), 'utf8');
const sdk = readFileSync(SDK, 'utf8');
const settings = { baseUrl: PARLEY_URL, agent: AGENT, trigger: TRIGGER };

async function createToken(visitor) {
  const made = await fetch(`${PARLEY_URL}/api/client-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PARLEY_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      agent_id: AGENT,
      trigger_id: TRIGGER,
      end_user: { external_id: visitor },
      origins: [ORIGIN],
      expires_in: 300,
    }),
  });
  if (!made.ok) throw new Error(`${made.status} ${await made.text()}`);
  return (await made.json()).token;
}

async function answer(request, response) {
  const send = (status, type, text, headers = {}) =>
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(text);
  try {
    const visitor = /(?:^|; )visitor=([\w-]{36})/.exec(request.headers.cookie ?? '')?.[1];
    if (request.method === 'POST' && request.url === '/chat-token') {
      // Only pages of this site may request a token, because browsers do not send a strict cookie from pages of other
      // sites.
      if (!visitor) return send(403, 'text/plain', 'Open the page first.');
      return send(200, 'application/json', JSON.stringify({ token: await createToken(visitor) }));
    }
    if (request.url === '/parley.js') return send(200, 'text/javascript', sdk);
    if (request.url !== '/') return send(404, 'text/plain', 'Not found');
    const cookie = visitor ? {} : { 'set-cookie': `visitor=${randomUUID()}; Path=/; HttpOnly; SameSite=Strict` };
    send(200, 'text/html; charset=utf-8', page.replace('{{settings}}', JSON.stringify(settings)), cookie);
  } catch (error) {
    console.error(error.message);
    send(502, 'text/plain', 'The chat is not available.');
  }
}

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(PORT), 'localhost', () => console.log(`Open ${ORIGIN}`));
