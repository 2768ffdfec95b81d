import { useState } from 'react'
import { helpArticles } from '../../content/help.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Markdown } from '../../ui/Markdown.tsx'
import { EmptyState } from '../../ui/Panel.tsx'

/** The help text itself; which article is open stands in the address. */
export function HelpReader({ article, onRead }: { article: string | null; onRead: (id: string | null) => void }) {
  const [search, setSearch] = useState('')
  const current = helpArticles.find(({ id }) => id === article)
  const found = helpArticles.filter(({ title, body }) => `${title} ${body}`.toLowerCase().includes(search.toLowerCase()))
  return (
    <Dialog open={article !== null} onClose={() => onRead(null)} title={current?.title ?? 'Help'} side="right">
      {current ? (
        <div className="flex flex-col gap-6">
          <Markdown className="text-14">{current.body}</Markdown>
          <Button className="self-start" onClick={() => onRead('all')}>
            All articles
          </Button>
        </div>
      ) : (
        <div className="flex flex-col gap-4">
          <TextField label="Search the help" type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
          {found.length === 0 ? (
            <EmptyState compact title="No articles match these words">
              Try other words, or ask in the chat.
            </EmptyState>
          ) : null}
          <ul className="flex flex-col divide-y divide-line">
            {found.map(({ id, title }) => (
              <li key={id}>
                <button
                  type="button"
                  onClick={() => onRead(id)}
                  className="min-h-11 w-full rounded-control px-2 text-left text-13 hover:bg-raised"
                >
                  {title}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  )
}
