import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const [ui, chat] = ['../../ui', '../../chat'].map((folder) => join(import.meta.dirname, folder)) as [string, string]
const textOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
// Mounted once, above every page.
const hosts = ['ToastHost', 'ToastSlot', 'TooltipHost']

test('/dev/ui shows every component of the design system', () => {
  const components = [...(textOf(ui) + textOf(chat)).matchAll(/^export (?:function|const) ([A-Z]\w+)/gm)].map(([, name]) => name!)
  const shown = new Set([...textOf(import.meta.dirname).matchAll(/<([A-Z]\w+)/g)].map(([, name]) => name))
  expect(components).toContain('Button')
  expect(components.filter((name) => !shown.has(name) && !hosts.includes(name))).toEqual([])
})
