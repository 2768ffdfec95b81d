import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { TemplateManifest } from '@operon/contracts/marketplace/manifest'
import { z } from 'zod'

const texts = { title: z.string().min(1), category: z.string().min(1), summary: z.string().min(1) }
const Workflow = z.object({ ...texts, description: z.string(), manifest: TemplateManifest })

export type Entry = {
  slug: string
  title: string
  category: string
  summary: string
  description: string
  kind: 'template' | 'prompt_pack'
  manifest: z.output<typeof TemplateManifest> | null
  file: { name: string; type: string; bytes: Buffer; sha256: string }
}

/** The free templates and prompt packs of this site, a file each. */
export async function readLibrary(folder = join(import.meta.dirname, 'library')): Promise<Entry[]> {
  const names = (await readdir(folder)).filter((name) => /\.(json|md)$/.test(name)).toSorted()
  return Promise.all(names.map(async (name) => entryOf(name, await readFile(join(folder, name), 'utf8'))))
}

function entryOf(name: string, content: string): Entry {
  const slug = name.slice(0, -extname(name).length)
  if (extname(name) === '.json') {
    const workflow = Workflow.parse(JSON.parse(content))
    const said = Buffer.from(`${JSON.stringify(workflow.manifest, null, 2)}\n`)
    return { slug, kind: 'template', ...workflow, file: fileOf(`${slug}.workflow.json`, 'application/json', said) }
  }
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(content) ?? []
  const said = Object.fromEntries(head.split('\n').map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]))
  const prompts = body.match(/^\d+\. \*\*(.+?)\*\*/gm) ?? []
  const description = `${said.summary}\n\n${prompts.map((line) => line.replace(/^\d+\. \*\*(.+?)\.?\*\*/, '· $1')).join('\n')}`
  return {
    ...z.object(texts).parse(said),
    ...{ slug, kind: 'prompt_pack', description, manifest: null },
    file: fileOf(`${slug}.md`, 'text/plain; charset=utf-8', Buffer.from(body)),
  }
}

const fileOf = (name: string, type: string, bytes: Buffer) => ({
  name,
  type,
  bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})
