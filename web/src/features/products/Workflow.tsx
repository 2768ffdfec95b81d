import { FileUp } from 'lucide-react'
import { call } from '../../api/call.ts'
import { startUpload } from '../../api/uploads.ts'
import { Button, FileButton } from '../../ui/Button.tsx'
import { EmptyState, Panel } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { newKey, type Product } from './queries.ts'

type Props = { product: Product; onChanged: (next: Product) => void }

/** The workflow of a template: its file is checked, kept with the next version, and one of the files that buyers download. */
export function Workflow({ product, onChanged }: Props) {
  const { manifest } = product.next
  const item_id = product.id
  const keep = async (next: Product['next']['manifest']) =>
    onChanged(await call('update-product', { item_id, manifest: next }, { idempotencyKey: newKey() }))
  const take = (file: File) =>
    attempt(`${file.name} was not taken`, async () => {
      await keep(await readJson(file))
      await startUpload(item_id, 'marketplace', file, async (file_id) =>
        onChanged(await call('attach-product-file', { item_id, file_id }, { idempotencyKey: newKey() })),
      )
      toast.success('The workflow is checked and kept with the next version')
    })
  return (
    <Panel
      title="Workflow"
      flush
      actions={
        <FileButton accept=".json,application/json" onFiles={([file]) => file && void take(file)}>
          <FileUp />
          {manifest ? 'Replace' : 'Choose its file'}
        </FileButton>
      }
    >
      {manifest ? (
        <>
          <ol aria-label="Steps of the workflow" className="divide-y divide-line">
            {manifest.graph.nodes.map(({ id, type }, index) => (
              <li key={id} className="flex items-baseline gap-3 px-4 py-2 text-13">
                <span className="font-mono text-12 text-faint">{index + 1}</span>
                <span className="min-w-0 flex-1 break-words">{id.replaceAll('_', ' ')}</span>
                <span className="font-mono text-12 break-all text-faint">{type}</span>
              </li>
            ))}
          </ol>
          <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2.5 text-12 text-faint">
            <span>
              {manifest.slots.length
                ? `Buyers connect ${manifest.slots.map(({ app }) => app.replaceAll('_', ' ')).join(', ')}.`
                : 'Buyers need no connection.'}
            </span>
            <Button variant="ghost" onClick={() => attempt('The workflow was not removed', () => keep(null))}>
              Remove
            </Button>
          </div>
        </>
      ) : (
        <EmptyState compact title="No workflow yet">
          Choose the workflow’s file (.json). It is checked for missing steps and for ids and keys of your own.
        </EmptyState>
      )}
      <p className="border-t border-line px-4 py-2.5 text-12 text-faint">
        Installing a template opens together with AI Workflows. Until then buyers download its file.
      </p>
    </Panel>
  )
}

async function readJson(file: File) {
  try {
    return JSON.parse(await file.text())
  } catch {
    throw new Error('It is not a JSON file.')
  }
}
