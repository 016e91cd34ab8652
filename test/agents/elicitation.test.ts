import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formContent, formQuestions } from "../../src/agents/elicitation.ts";

const form = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name" },
    size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"], description: "of the shirt" },
    colour: {
      type: "string",
      oneOf: [
        { const: "#f00", title: "Red" },
        { const: "#00f", title: "Blue" },
      ],
    },
    tags: { type: "array", items: { enum: ["a", "b", "c"] } },
    count: { type: "integer" },
    sure: { type: "boolean" },
  },
};

describe("forms of MCP servers", () => {
  test("a form is a question for each field, with the choices that people see", () => {
    const questions = formQuestions("shop", "Your order?", form);
    assert.deepEqual(
      questions.map(({ question, options, multiple, custom }) => [
        question,
        options.map(({ label }) => label),
        multiple,
        custom,
      ]),
      [
        ["Your order?\nName", [], false, true],
        ["size\nof the shirt", ["Small", "Large"], false, false],
        ["colour", ["Red", "Blue"], false, false],
        ["tags", ["a", "b", "c"], true, false],
        ["count", [], false, true],
        ["sure", ["Yes", "No"], false, false],
      ],
    );
    assert.ok(questions.every(({ header }) => header === "shop"));
  });

  test("answers become the values of the form", () => {
    assert.deepEqual(formContent(form, [["Ada"], ["Large"], ["Blue"], ["a", "c"], ["3"], ["No"]]), {
      name: "Ada",
      size: "l",
      colour: "#00f",
      tags: ["a", "c"],
      count: 3,
      sure: false,
    });
  });

  test("a field without an answer is left out, and a number that is none stays as it was written", () => {
    assert.deepEqual(formContent(form, [[], ["Small"], [], [], ["many"]]), { size: "s", count: "many" });
  });

  test("a form without a field is a yes or a no", () => {
    const empty = { type: "object", properties: {} };
    assert.deepEqual(formQuestions("shop", "Go on?", empty)[0]?.options, [{ label: "Yes" }, { label: "No" }]);
    assert.deepEqual(formContent(empty, [["Yes"]]), {});
    assert.equal(formContent(empty, [["No"]]), undefined);
  });
});
