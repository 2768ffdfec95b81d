import type { Endpoint } from '@operon/contracts/contract'
import { errors } from '@operon/contracts/messages'
import { type Capability, capabilitiesOf } from '@operon/contracts/registry'
import { webhookEvents, webhookFields, webhookType } from '@operon/contracts/webhooks'
import { appName } from '@operon/contracts/words'
import type { Json } from '../schemas.ts'
import { code, type Html, html, json, prose } from './html.ts'

export type Told = { document: Json; publicUrl: string; publishableKey: string; product: string }

/** `/docs`: how to begin, what can be done, and each operation there is, made from the same contracts that the services run by. */
export function docsPage({ document, publicUrl, publishableKey, product }: Told): string {
  const paths = document.paths as Record<string, Json>
  const capabilities = capabilitiesOf().filter(({ contract }) => contract.path in paths)
  const services = [...new Set(capabilities.map(({ service }) => service))]
  const groups = groupsOf(document, new Set(capabilities.map(({ contract }) => contract.path)))
  const nav = [
    ['start', 'Quick start'],
    ['assistants', 'Connect an assistant'],
    ['calls', 'How calls work'],
    ['capabilities', 'Capabilities'],
    ['webhooks', 'Webhooks'],
    ...groups.map(({ id, title }) => [id, title]),
    ['shapes', 'Shapes'],
  ] as [string, string][]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${product} API</title>
<meta name="description" content="Quick start, capabilities and reference of the ${product} API.">
<link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/docs/docs.css"><script src="/docs/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="mark" href="/">${mark}${product}</a><span>API</span><a class="raw" href="/openapi.json">OpenAPI document</a></header>
<nav aria-label="On this page"><div id="find" hidden><input type="search" aria-label="Search the API" placeholder="Search" autocomplete="off"><kbd>/</kbd><p role="status"></p></div>
<ul>${nav.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main">
<h1>${product} API</h1>
<p class="lead">Everything the app does, your own programs can do. One address, one kind of key, the same limits and the same log.</p>
${quickStart(publicUrl, publishableKey)}
${assistants(publicUrl, product)}
${howCallsWork()}
<section id="capabilities"><h2>Capabilities</h2>
<p>A capability is something done for a person. The app, assistants and programs call the same function. Each is a <code>POST</code> to <code>/functions/v1/&lt;name&gt;</code> with a JSON body.</p>
${services.map((service) => capabilities.filter((each) => each.service === service).map((each) => capabilityHtml(each, publicUrl)))}
</section>
${webhooks(product)}
${groups.map(groupHtml)}
<section id="shapes"><h2>Shapes</h2><p>Objects that several operations share.</p>${shapesHtml(document)}</section>
<p id="none" hidden>No matches. Try part of a name or an address, such as <code>usage</code> or <code>/auth/v1</code>.</p>
</main>
</body>
</html>`.text
}

function quickStart(publicUrl: string, publishableKey: string): Html {
  return html`<section id="start"><h2>Quick start</h2>
<h3>1. Create a key</h3>
<p>In Settings, under API keys and apps. Choose what it may do: <code>chat</code> and <code>models</code> open the models, <code>reads</code> and <code>changes</code> open every capability of that effect, and <code>do:&lt;name&gt;</code> opens one. A key spends, sends or removes only where you named that capability. It never approves anything.</p>
<h3>2. Call a capability</h3>
${code(`curl ${publicUrl}/functions/v1/ai-usage \\
  -H 'authorization: Bearer <key>' -H 'content-type: application/json' -d '{}'`)}
<p>To act as a signed-in person, get a token instead. It works for an hour, and its <code>refresh_token</code> gets the next one.</p>
${code(`curl ${publicUrl}/auth/v1/token?grant_type=password \\
  -H 'apikey: ${publishableKey}' -H 'content-type: application/json' \\
  -d '{"email":"you@example.com","password":"…"}'`)}
<h3>3. Or use a library you know</h3>
<p>Accounts and data speak Supabase’s protocol, models speak OpenAI’s. Use your key for the second.</p>
${code(`import { createClient } from '@supabase/supabase-js'
const client = createClient('${publicUrl}', '${publishableKey}')

import OpenAI from 'openai'
const openai = new OpenAI({ baseURL: '${publicUrl}/ai/v1', apiKey: process.env.OPERON_KEY })`)}
</section>`
}

function assistants(publicUrl: string, product: string): Html {
  return html`<section id="assistants"><h2>Connect an assistant</h2>
<p>Other assistants work in your account through an MCP server at <code>${publicUrl}/mcp</code>. They look things up at once. What spends, sends or removes waits for your approval in ${product}: the assistant gets a link for you. Disconnect them in Settings.</p>
<h3>Claude</h3>
<p>In Settings, open Connectors, choose Add custom connector and enter <code>${publicUrl}/mcp</code>. Claude opens a page here that asks what it may do. For Claude Code:</p>
${code(`claude mcp add --transport http ${product.toLowerCase()} ${publicUrl}/mcp`)}
<h3>ChatGPT</h3>
<p>In Settings, open Connectors, turn on developer mode, choose Create and enter <code>${publicUrl}/mcp</code> with OAuth.</p>
<h3>An editor</h3>
<p>Editors that speak MCP over HTTP take the address in their configuration, and open the same page. Where one cannot, give it a key with <code>reads</code>.</p>
${code(`{
  "mcpServers": {
    "${product.toLowerCase()}": {
      "url": "${publicUrl}/mcp",
      "headers": { "Authorization": "Bearer <key>" }
    }
  }
}`)}
</section>`
}

function howCallsWork(): Html {
  const shared = [
    'invalid',
    'not_authenticated',
    'insufficient_aal',
    'aal2_required',
    'forbidden',
    'not_found',
    'conflict',
    'too_large',
    'rate_limited',
    'busy',
    'unavailable',
    'internal',
  ] as const
  return html`<section id="calls"><h2>How calls work</h2>
<dl>
<dt>Who calls</dt><dd>Send the key or access token as <code>Authorization: Bearer</code>. Without one, send the publishable key as <code>apikey</code>: you get what a visitor gets. You only ever see rows of your own account.</dd>
<dt>Errors</dt><dd>A failed call answers with a status and a body with <code>code</code>, <code>message</code> and <code>request_id</code>. The message says what to do. Quote the request id when you write to us.</dd>
<dt>Repeating safely</dt><dd>Where it says so, send an <code>Idempotency-Key</code> of your own. The same key with the same body gives the first answer again and does nothing twice.</dd>
<dt>Limits</dt><dd>Each answer carries <code>ratelimit</code> and <code>ratelimit-policy</code>. A 429 also carries <code>retry-after</code>, in seconds.</dd>
<dt>Lists</dt><dd>Named functions answer with a <code>cursor</code>: send it back for the next page. The data API pages with <code>limit</code> and <code>offset</code>.</dd>
</dl>
<details><summary>Errors that any call may answer</summary><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Message</th></tr></thead><tbody>
${shared.map((name) => html`<tr><td><code>${name}</code></td><td>${String(errors[name].status)}</td><td>${errors[name].message}</td></tr>`)}
</tbody></table></details></section>`
}

function webhooks(product: string): Html {
  return html`<section id="webhooks"><h2>Webhooks</h2>
<p>${product} can tell your server what happens in your account. Add an endpoint in Settings under Webhooks, choose its events, and keep the signing secret that is shown once.</p>
<dl>
<dt>What is sent</dt><dd>A <code>POST</code> with a JSON body: <code>type</code>, <code>timestamp</code> and <code>data</code>. The type ends in its version. Names, addresses and what people wrote are left out: ask for them by their id.</dd>
<dt>Answer</dt><dd>Answer with any 2xx within 10 seconds. Redirects are not followed. Anything else is tried again, eight times within a day.</dd>
<dt>Once or more</dt><dd>A delivery can arrive twice and out of order. <code>webhook-id</code> is the same for every try and every replay of a message: skip those you know.</dd>
<dt>When it fails</dt><dd>Settings shows the answer to each delivery for 30 days, and sends it again. After three days without a success the endpoint is paused and you are notified.</dd>
</dl>
<h3>Verify a delivery</h3>
<p>Deliveries follow Standard Webhooks: <code>webhook-signature</code> holds <code>v1,</code> and the HMAC-SHA256 of <code>webhook-id.webhook-timestamp.body</code> in base64. After you rotate the secret, both sign for 24 hours.</p>
${code(`import { Webhook } from 'standardwebhooks'

// The body as it arrived, before it is parsed.
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers)`)}
<h3>Events</h3>
<table><thead><tr><th scope="col">Type</th><th scope="col">When</th><th scope="col">Fields of data</th></tr></thead><tbody>
${webhookEvents().map((event) => html`<tr data-find="${`webhook ${event.name} ${event.trigger.title}`.toLowerCase()}"><td><code>${webhookType(event.name)}</code></td><td>${event.trigger.title}. ${prose(event.trigger.description)}</td><td>${webhookFields(event).join(', ')}</td></tr>`)}
</tbody></table></section>`
}

const effects = {
  reads: 'Reads',
  changes: 'Changes',
  spends: 'Spends, asks first',
  sends: 'Sends, asks first',
  destroys: 'Removes, asks first',
} as const

function capabilityHtml({ name, title, effect, unit, needs, contract }: Capability, publicUrl: string): Html {
  const { summary, description, example, idempotent } = contract
  return html`<article id="${name}" data-find="${`${name} ${title} ${summary ?? ''}`.toLowerCase()}">
<h3><a href="#${name}">${title}</a> <code>${name}</code></h3>
<p>${prose(summary ?? '')}.${description ? html` ${prose(description)}` : ''}</p>
<ul class="facts"><li class="${effect}">${effects[effect]}</li>${unit ? html`<li>Uses ${unit}</li>` : ''}${needs.length ? html`<li>Needs a connection to ${needs.map(appName).join(' and ')}</li>` : ''}${idempotent ? html`<li>Takes an Idempotency-Key</li>` : ''}</ul>
${code(curlOf(contract, publicUrl))}
${example ? html`<details><summary>Example answer</summary>${json(example.reply)}</details>` : ''}
${errorsHtml(contract)}
</article>`
}

function curlOf({ path, example }: Endpoint, publicUrl: string): string {
  const body = JSON.stringify(example?.request ?? {})
  return `curl ${publicUrl}${path} \\
  -H 'authorization: Bearer <key>' -H 'content-type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`
}

const errorsHtml = ({ errors: own = [] }: Endpoint): Html | string =>
  own.length
    ? html`<details><summary>Errors of its own</summary><table><tbody>${own.map((each) => html`<tr><td><code>${each}</code></td><td>${String(errors[each].status)}</td><td>${errors[each].message}</td></tr>`)}</tbody></table></details>`
    : ''

type Group = { id: string; title: string; about: string; operations: [string, string, Json][] }

/** Every operation, by the protocol it belongs to. Operations listed among the capabilities are left out. */
function groupsOf(document: Json, told: Set<string>): Group[] {
  const groups: Group[] = [
    { id: 'functions', title: 'Other functions', about: 'Sign-in, settings and staff use these.', operations: [] },
    { id: 'data', title: 'Data', about: 'Tables to read, with filters and order as PostgREST has them.', operations: [] },
    { id: 'accounts', title: 'Accounts', about: 'Supabase’s auth protocol: unmodified clients work.', operations: [] },
    { id: 'models', title: 'Models', about: 'OpenAI’s protocol, for your own keys.', operations: [] },
    {
      id: 'others',
      title: 'Webhooks and files',
      about: 'Providers’ callbacks, signed files, and the pages of the platform.',
      operations: [],
    },
  ]
  const homes: [string, number][] = [
    ['/functions/v1/', 0],
    ['/rest/v1/', 1],
    ['/auth/v1/', 2],
    ['/ai/v1/', 3],
  ]
  for (const [path, methods] of Object.entries(document.paths as Record<string, Json>))
    for (const [method, operation] of Object.entries(methods as Record<string, Json>)) {
      if (told.has(path)) continue
      const home = homes.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 4
      groups[home]!.operations.push([method, path, operation])
    }
  return groups.filter(({ operations }) => operations.length)
}

function groupHtml({ id, title, about, operations }: Group): Html {
  const offered = operations.filter(([, , operation]) => !operation['x-not-offered'])
  const off = [
    ...new Set(
      operations.filter(([, , operation]) => operation['x-not-offered']).map(([, , operation]) => String(operation['x-not-offered'])),
    ),
  ]
  return html`<section id="${id}"><h2>${title}</h2><p>${about}</p>${offered.map(operationHtml)}${off.length ? html`<p class="off">Not offered: ${off.join(', ')}.</p>` : ''}</section>`
}

const access: Record<string, string> = {
  public: 'Anyone',
  user: 'Signed in',
  aal2: 'Signed in and confirmed',
  staff: 'Staff',
  service: 'Service key',
}

function operationHtml([method, path, operation]: [string, string, Json]): Html {
  const details = { parameters: operation.parameters, requestBody: operation.requestBody, responses: operation.responses }
  const summary = String(operation.summary ?? '')
  return html`<details class="operation" data-find="${`${method} ${path} ${summary}`.toLowerCase()}"><summary><b>${method.toUpperCase()}</b> <code>${path}</code> <i>${access[String(operation['x-access'])] ?? ''}</i>${summary ? html`<span>${prose(summary)}</span>` : ''}</summary>${json(details)}</details>`
}

const shapesHtml = ({ components }: Json): Html[] =>
  ['schemas', 'parameters', 'responses'].flatMap((kind) =>
    Object.entries((components as Json)[kind] as Json).map(
      ([name, value]) =>
        html`<details class="operation" id="${`${kind}/${name}`}" data-find="${name.toLowerCase()}"><summary><code>${name}</code></summary>${json(value)}</details>`,
    ),
  )

const mark = html`<svg viewBox="0 0 34 22" aria-hidden="true"><path d="M2 17.5V5.5h8.5M7.5 2.5l3 3-3 3" fill="none" stroke="currentColor" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round"/><rect x="6" y="15" width="11" height="5" rx="2.5"/><rect x="19.5" y="15" width="5" height="5" rx="2.5"/><rect x="27" y="15" width="7" height="5" rx="2.5"/></svg>`
