import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { EmptyRow } from '../ui/Mark.tsx'

type Props = { children: ReactNode; resetKey?: string }

/** The last net: says what happened and offers a reload. A chunk gone after a deploy is answered by the reload too. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  state = { failed: false }
  static getDerivedStateFromError() {
    return { failed: true }
  }
  componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack)
  }
  componentDidUpdate(before: Props) {
    if (this.state.failed && before.resetKey !== this.props.resetKey) this.setState({ failed: false })
  }
  render() {
    if (!this.state.failed) return this.props.children
    return (
      <main className="mx-auto flex min-h-[60dvh] max-w-md flex-col items-start justify-center gap-4 p-6">
        <EmptyRow />
        <h1 className="text-20 font-semibold">This page stopped working</h1>
        <p className="text-muted">
          Something in the app failed, not in your data: what you saved is safe. Reloading usually brings the page back.
        </p>
        <Button variant="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </main>
    )
  }
}
