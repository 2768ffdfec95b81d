export function providerOf(path: string): string {
  const first = path.split('/')[1] ?? ''
  return ['openai', 'anthropic', 'google', 'perplexity'].includes(first) ? first : 'openai'
}

const model = (id: string, owner: string) => ({ id, object: 'model', created: 1_750_000_000, owned_by: owner })

/** The models that `GET /models` lists; any other name is answered as well. */
export const models = [
  model('gpt-4o-mini', 'openai'),
  model('gpt-5-2025-08-07', 'openai'),
  model('gpt-5-mini-2025-08-07', 'openai'),
  model('gpt-5.4', 'openai'),
  model('gpt-5.4-mini', 'openai'),
  model('text-embedding-3-small', 'openai'),
  model('text-embedding-3-large', 'openai'),
  model('claude-sonnet-4-6', 'anthropic'),
  model('claude-haiku-4-5', 'anthropic'),
  model('gemini-1.5-flash', 'google'),
  model('gemini-2.5-flash', 'google'),
  model('gemini-3-flash', 'google'),
  model('sonar', 'perplexity'),
  model('sonar-pro', 'perplexity'),
]
