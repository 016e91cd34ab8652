import type { Page } from "playwright-core";
import { PATIENCE_MS } from "../time.ts";
import { MODEL } from "./native.ts";

/** The web page of a directory, ready to take a prompt: before it knows the model, it drops what is sent. */
export async function openPage(page: Page, url: string, model: string = MODEL.name): Promise<void> {
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  await page.getByText(model, { exact: true }).first().waitFor();
}

export async function sendPrompt(page: Page, text: string): Promise<void> {
  await page.locator("[contenteditable=true]").first().click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}
