import type { CodeTab } from './code-tabs.tsx';

/** The key is never on this page: it comes from the environment in which the code runs. */
export const KEY_PLACE = 'PARLEY_API_KEY';

/** One call of the public API, ready to be copied. */
export const codeOfPost = (url: string, body: object): CodeTab[] => [
  { name: 'curl', code: curl(url, body) },
  { name: 'TypeScript', code: typescript(url, body) },
  { name: 'Python', code: python(url, body) },
];

const curl = (url: string, body: object): string =>
  [
    `curl -X POST '${url}'`,
    `-H "Authorization: Bearer $${KEY_PLACE}"`,
    "-H 'Content-Type: application/json'",
    `-d '${quoted(JSON.stringify(body))}'`,
  ].join(' \\\n  ');

/** A quote in a default would end the shell's. */
export const quoted = (text: string): string => text.replaceAll("'", String.raw`'\''`);

const typescript = (url: string, body: object): string => `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.${KEY_PLACE}}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), '  ')}),
});
console.log(response.status, await response.json());`;

const python = (url: string, body: object): string => `import json, os, urllib.request, uuid

request = urllib.request.Request(
    "${url}",
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["${KEY_PLACE}"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
    data=json.dumps(json.loads(r"""${JSON.stringify(body)}""")).encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`;

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);
